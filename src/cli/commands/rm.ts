import { defineCommand, jsonOption, sessionArgument } from "../command.ts";
import { forEachSession } from "../for-each-session.ts";

export const rm = defineCommand({
  name: "rm",
  summary: "Remove ended sessions and their recordings",
  arguments: [{ ...sessionArgument, name: "sessions", count: "many" }],
  options: {
    force: { type: "flag", short: "f", summary: "Also end and remove running sessions" },
    json: jsonOption,
  },
  examples: ["lectern rm build", "lectern rm -f web db"],
  async run({ arguments: { sessions }, options }, context) {
    return forEachSession({ sessions, json: options.json, context }, (session) =>
      context.call("sessions.remove", { session, force: options.force }),
    );
  },
});
