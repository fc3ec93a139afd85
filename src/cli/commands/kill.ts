import { defineCommand, jsonOption, sessionArgument } from "../command.ts";
import { forEachSession } from "../for-each-session.ts";

export const kill = defineCommand({
  name: "kill",
  summary: "End sessions and all their processes; recordings are kept",
  details: ["Of a session that has ended, it ends the programs that were left behind; lectern doctor names them."],
  arguments: [{ ...sessionArgument, name: "sessions", count: "many" }],
  options: {
    grace: { type: "duration", short: "t", placeholder: "TIME", summary: "Time to exit on their own; default: 2s" },
    json: jsonOption,
  },
  examples: ["lectern kill build", "lectern kill --grace 10s web db"],
  async run({ arguments: { sessions }, options }, context) {
    return forEachSession({ sessions, json: options.json, context }, async (session) => {
      const killed = await context.call("sessions.kill", { session, graceMs: options.grace });
      if (killed.exit === null && killed.degraded !== null)
        context.note(`The programs of "${killed.name}" have ended; its journal records that when the disk has space`);
      return killed;
    });
  },
});
