/** Options as programs read them: any beginning of a long name, and files that are the input of the program. */
import { normalizePath } from "./paths.ts";

/**
 * The source of an expression for long options, by every beginning of their names (getopt_long(3)). A beginning that fits several
 * options counts as each of them. `others`: options of their own that are such a beginning.
 *
 * @example
 * ```ts
 * new RegExp(longOptions("strip-program", "strip")).test("--strip-p=x"); // true
 * ```
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
 * Is the word, or the value behind its option (`-f/dev/stdin`, `--file=-`), the input of a program or another open file?
 * A relative path counts from every folder, because the command can start in any.
 */
export function namesInput(word: string): boolean {
  if (!/-$|dev|proc/.test(word)) return false;
  const value = word.replace(/^(?:--[\w-]+=|-[A-Za-z]+?(?=-$|[./]|dev\/|proc\/))/, "");
  if (value === "-") return true;
  const path = normalizePath(value);
  return /^\/(?:dev|proc)\//.test(path) || relativeInput.test(path) || climbingInput.test(path);
}
