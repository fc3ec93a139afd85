/** Names of files that are the input of a program. */
import { normalizePath } from "./paths.ts";

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
