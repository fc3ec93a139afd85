/** Answers a question that waits for a person. */
import { userInfo } from "node:os";
import { labelOf } from "../../core/dialogs/choices.ts";
import { questionLine } from "../../core/dialogs/question-line.ts";
import { LecternError } from "../../core/errors.ts";
import { oneLine } from "../../core/text/one-line.ts";
import { defineCommand, jsonOption, sessionArgument } from "../command.ts";
import type { CliContext } from "../context.ts";

export const approve = defineCommand({
  name: "approve",
  summary: "Answer a question of an agent or program",
  details: [
    "Refused inside a session: use a terminal outside, or a shell started with lectern run --mine.",
    "Who answered is recorded: in the audit log for the gateway, in the session for a question on the screen.",
    "Answers the question as it is now; with --digest only if it has not changed since you read it.",
  ],
  arguments: [
    sessionArgument,
    { name: "id", summary: 'Id of the question, from "lectern approvals"' },
    { name: "option", summary: "Id of an option, or allow or deny; default: allow", count: "optional" },
  ],
  options: {
    by: { type: "text", placeholder: "NAME", summary: "Name for the audit log; default: the user" },
    digest: {
      type: "text",
      placeholder: "DIGEST",
      summary: 'Digest of the question, from "lectern approvals --json"',
    },
    json: jsonOption,
  },
  examples: ["lectern approve claude q1", "lectern approve claude q2 deny --digest 9f86d081884c7d65"],
  async run({ arguments: { id, option = "allow", session }, options }, context) {
    const by = options.by ?? context.environment["USER"] ?? context.environment["LOGNAME"] ?? userName();
    const digest = options.digest ?? (await readDigest(session, id, context));
    const answered = await context.call("approvals.answer", { session, approval: id, option, digest, by });
    if (options.json) await context.print(JSON.stringify(answered));
    else {
      // A question of which a choice was ticked is still open.
      const chosen = answered.options.find(({ id: own }) => own === (answered.answer?.option ?? option));
      const label = chosen === undefined ? option : labelOf(chosen);
      await context.print(`${answered.id}: ${oneLine(label)}  (${questionLine(answered)})`);
    }
  },
});

/** Throws `NOT_FOUND` if no such question is open. */
async function readDigest(session: string, id: string, context: CliContext): Promise<string> {
  const { approvals } = await context.call("approvals.list", { session });
  const found = approvals.find((asked) => asked.id === id);
  if (found !== undefined) return found.digest;
  throw new LecternError(
    "NOT_FOUND",
    `Cannot find question "${id}": it was answered or withdrawn; see "lectern approvals"`,
  );
}

/** Undefined for a user id without a name, as in a container. */
function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}
