/** Options as programs parse them: abbreviated long names, and names of files that are the program's input. */
import { normalizePath } from "./paths.ts";

/**
 * The source of a regular expression for long options, by any prefix of their names (getopt_long(3)). An ambiguous prefix counts as each
 * option it fits. `others`: different options whose names are such a prefix.
 * `new RegExp(longOptions("strip-program", "strip")).test("--strip-p=x"); // true`
 */
export function longOptions(names: string, others = ""): string {
  const beginnings = names
    .split(" ")
    .map((name) => [...name].reduceRight((rest, letter) => `${letter}(?:${rest})?`, ""));
  const own = others === "" ? "" : `(?!--(?:${others.replaceAll(" ", "|")})(?:=|$))`;
  return `^${own}--(?:${beginnings.join("|")})(?:=|$)`;
}

const relativeInput = /^(?:\.\.\/)*(?:dev\/(?:stdin|fd|tty|pts)(?:\/|$)|proc\/(?:self|thread-self|\d+)\/)/;
const climbingInput = /^(?:\.\.\/)+(?:dev|proc)\//;

/**
 * Is the word, or the value glued to its option (`-f/dev/stdin`, `--file=-`), the program's input or another open file?
 * A relative path counts from any directory, because the command can start anywhere.
 */
export function namesInput(word: string): boolean {
  if (!/-$|dev|proc/.test(word)) return false;
  const value = word.replace(/^(?:--[\w-]+=|-[A-Za-z]+?(?=-$|[./]|dev\/|proc\/))/, "");
  if (value === "-") return true;
  const path = normalizePath(value);
  return /^\/(?:dev|proc)\//.test(path) || relativeInput.test(path) || climbingInput.test(path);
}
