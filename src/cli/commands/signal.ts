import { defineCommand, jsonOption, sessionArgument } from "../command.ts";

export const signal = defineCommand({
  name: "signal",
  summary: "Send a signal to the foreground job of a session",
  arguments: [sessionArgument, { name: "name", summary: "Such as INT, SIGTERM or USR1" }],
  options: { json: jsonOption },
  examples: ["lectern signal build INT"],
  async run({ arguments: { session, name }, options }, context) {
    const after = await context.call("sessions.signal", { session, signal: name.toUpperCase() });
    if (options.json) await context.print(JSON.stringify(after));
  },
});
