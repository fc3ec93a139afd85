/** How many more files this process may open. */
import { readdirSync, readFileSync } from "node:fs";
import { LecternError } from "../core/errors.ts";
import { procPath } from "./platform.ts";

/** Kept for the requests of whoever ends sessions: each takes a connection and a few files of `/proc`. */
const DESCRIPTORS_RESERVED = 16;

/** Infinity where the system does not say. */
function freeDescriptors(): number {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync(procPath("self/limits"), "utf8"))?.[1];
    return limit === undefined ? Infinity : Number(limit) - readdirSync(procPath("self/fd")).length;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "EMFILE" || code === "ENFILE" ? 0 : Infinity;
  }
}

/** Throws `LIMIT_EXCEEDED` if the files of this process are needed for something else: `action` follows "Cannot". */
export function demandDescriptors(action: string, countMin = DESCRIPTORS_RESERVED): void {
  const free = freeDescriptors();
  if (free >= countMin) return;
  throw new LecternError(
    "LIMIT_EXCEEDED",
    `Cannot ${action}: process ${process.pid} can open only ${free} more files; end sessions, or raise "ulimit -n" before "lectern up"`,
  );
}
