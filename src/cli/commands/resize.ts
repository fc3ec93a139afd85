import { LecternError } from "../../core/errors.ts";
import { defineCommand, jsonOption, sessionArgument } from "../command.ts";

export const resize = defineCommand({
  name: "resize",
  summary: "Resize the terminal of a session",
  arguments: [sessionArgument, { name: "size", summary: "Columns and rows, such as 120x40" }],
  options: { json: jsonOption },
  examples: ["lectern resize build 120x40"],
  async run({ arguments: { session, size }, options }, context) {
    const match = /^(\d{1,4})[x,](\d{1,4})$/.exec(size);
    if (match === null)
      throw new LecternError("USAGE", `Cannot read size "${size}": wanted columns and rows, such as 120x40`);
    const input = { session, columns: Number(match[1]), rows: Number(match[2]) };
    const changed = await context.call("sessions.resize", input);
    if (options.json) await context.print(JSON.stringify(changed));
  },
});
