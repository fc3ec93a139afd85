import { defineCommand, jsonOption } from "../command.ts";

export const reindex = defineCommand({
  name: "reindex",
  summary: "Rebuild status, messages, events and search from the journal",
  arguments: [{ name: "sessions", summary: "Names or ids; default: all", count: "any", completes: "own-session" }],
  options: { json: jsonOption },
  examples: ["lectern reindex work", "lectern reindex"],
  async run({ arguments: { sessions }, options }, context) {
    const all = sessions.length > 0 ? sessions : (await context.call("sessions.list", {})).sessions.map(({ id }) => id);
    let done = 0;
    for (const session of all) {
      const { offset } = await context.call("sessions.reindex", { session });
      done += 1;
      if (options.json) await context.print(JSON.stringify({ session, offset }));
      else await context.print(`${session}: read up to offset ${offset} (${done} of ${all.length})`);
    }
  },
});
