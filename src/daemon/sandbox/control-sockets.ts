/** The sockets of other programs: whoever may connect to one may have it do something outside, which a read-only mount does not prevent. */
import { readFileSync } from "node:fs";

/** The absolute paths of all unix sockets that are bound in this network namespace; none where the kernel does not list them. */
export function boundSockets(): readonly string[] {
  try {
    return pathsOf(readFileSync("/proc/net/unix", "utf8"));
  } catch {
    return [];
  }
}

/** Lines of `/proc/net/unix`: seven columns, and the path if there is one; `@` begins an abstract name. */
export function pathsOf(text: string): readonly string[] {
  const paths = text.split("\n").map((line) => /^(?:\S+\s+){6}\d+ (\/.*)$/.exec(line)?.[1]);
  return [...new Set(paths.filter((path) => path !== undefined))];
}
