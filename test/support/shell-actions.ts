/** What the gate reads from shell texts, in short. */
import assert from "node:assert/strict";
import { analyzeShell } from "../../src/core/gate/shell.ts";

/** One short string per action: words joined by a space (`<...>` is computed), `> file`, `< file`, `NAME=`, `?reason`. */
export function seen(text: string): readonly string[] {
  return analyzeShell(text).actions.map((action) => {
    switch (action.type) {
      case "command":
        return action.words.map((word) => word.value ?? `<${word.text}>`).join(" ");
      case "redirect":
        return `${action.access === "read" ? "<" : ">"} ${action.target.value ?? `<${action.target.text}>`}`;
      case "assignment":
        return `${action.name}=`;
      case "opaque":
        return `?${action.reason}`;
    }
  });
}

/** A table of texts with their actions. */
export const eachSees = (table: Readonly<Record<string, readonly string[]>>): void => {
  for (const [text, expected] of Object.entries(table)) assert.deepEqual(seen(text), expected, text);
};
