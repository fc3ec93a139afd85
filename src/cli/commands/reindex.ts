/** Reads journals again with the rules of now. */
import { defineCommand, jsonOption } from "../command.ts";

export const reindex = defineCommand({
  name: "reindex",
  aliases: [],
  summary: "Read the journal of sessions again, with the rules of now: status, messages, events, search",
  arguments: [
    { name: "sessions", summary: "Names or ids; all where none is given", count: "any", completes: "session" },
  ],
  options: { json: jsonOption },
  examples: ["lectern reindex work", "lectern reindex"],
  async run({ arguments: { sessions }, options }, context) {
    const client = await context.client();
    const { signal } = context;
    const all =
      sessions.length > 0
        ? sessions
        : (await client.call("sessions.list", {}, { signal })).sessions.map(({ id }) => id);
    let done = 0;
    for (const session of all) {
      const { offset } = await client.call("sessions.reindex", { session }, { signal });
      done += 1;
      if (options.json) await context.print(JSON.stringify({ session, offset }));
      else await context.print(`${session}: read up to offset ${offset} (${done} of ${all.length})`);
    }
    return 0;
  },
});
