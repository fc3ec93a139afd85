import { defineCommand, jsonOption, sessionArgument } from "../command.ts";

export const rename = defineCommand({
  name: "rename",
  summary: "Rename a session",
  arguments: [sessionArgument, { name: "name", summary: "Letters, digits, dot, underscore and dash, at most 64" }],
  options: { json: jsonOption },
  examples: ["lectern rename build nightly"],
  async run({ arguments: { session, name }, options }, context) {
    const renamed = await context.call("sessions.update", { session, name });
    if (options.json) await context.print(JSON.stringify(renamed));
  },
});
