import { defineCommand, jsonOption, sessionArgument } from "../command.ts";

export const key = defineCommand({
  name: "key",
  summary: "Press keys by name, such as C-c, Up, Enter",
  details: [
    "Up Down Left Right Home End PageUp PageDown Enter Tab BTab Escape Space BSpace Insert Delete F1 to F20, or one",
    "character; with the prefix C- for Ctrl, M- for Alt, S- for Shift: C-c, M-Enter, S-Tab, C-M-Left.",
  ],
  arguments: [sessionArgument, { name: "keys", summary: "Names of keys, as in tmux", count: "many" }],
  options: { take: { type: "flag", summary: "Take over from another writer" }, json: jsonOption },
  examples: ["lectern key build C-c", "lectern key repl Up Enter"],
  async run({ arguments: { session, keys }, options }, context) {
    const written = await context.call("sessions.keys", { session, keys: [...keys], take: options.take });
    if (options.json) await context.print(JSON.stringify(written));
  },
});
