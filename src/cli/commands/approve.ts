/** Answers a question that waits for a person. */
import { userInfo } from "node:os";
import { removeActing } from "../../core/text/escape.ts";
import { defineCommand, jsonOption, sessionArgument } from "../command.ts";

export const approve = defineCommand({
  name: "approve",
  aliases: [],
  summary: "Answer a question of an agent",
  details: [
    "From inside a session it is refused: use a terminal outside, or a shell started with lectern run --mine.",
    "Who answered is kept: in the audit log where the gateway asked, in the session where the program did on its screen.",
  ],
  arguments: [
    sessionArgument,
    { name: "id", summary: 'Of the question, as "lectern approvals" lists it' },
    { name: "option", summary: "Id of an option, or allow or deny; default allow", count: "optional" },
  ],
  options: {
    by: { type: "text", placeholder: "NAME", summary: "A note for the audit log, default the user" },
    json: jsonOption,
  },
  examples: ["lectern approve claude q1", "lectern approve claude q2 deny"],
  async run({ arguments: { id, option = "allow", session }, options }, context) {
    const client = await context.client();
    const by = options.by ?? context.environment["USER"] ?? context.environment["LOGNAME"] ?? userName();
    const answered = await client.call(
      "approvals.answer",
      { session, approval: id, option, by },
      { signal: context.signal },
    );
    if (options.json) await context.print(JSON.stringify(answered));
    else {
      const chosen = answered.options.find((each) => each.id === answered.answer?.option);
      await context.print(`${answered.id}: ${removeActing(chosen?.label ?? option)}`);
    }
    return 0;
  },
});

/** Undefined for a user id without a name, as in a container. */
function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}
