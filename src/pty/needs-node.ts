/**
 * A pty needs Node: its backends call the C library by `node:ffi` or load a native module, and read descriptors in ways that Bun and Deno
 * announce and do not have. Bun ends with SIGHUP there, and Deno hangs, so it is checked before anything is opened.
 */
import { LecternError } from "../core/errors.ts";

const others = { bun: "Bun", deno: "Deno" } as const;

/** Throws `NOT_AVAILABLE` with the next step in a runtime that is not Node. `what`: "start a program in a terminal". */
export function requireNode(
  what: string,
  versions: Readonly<Record<string, string | undefined>> = process.versions,
): void {
  for (const [key, name] of Object.entries(others)) {
    const version = versions[key];
    if (version === undefined) continue;
    throw new LecternError(
      "NOT_AVAILABLE",
      `Cannot ${what} on ${name} ${version}: that needs Node 24 or later; run this program with "node", or use ` +
        '"lectern/client" here with a daemon that was started by Node ("lectern up"); "lectern/core", "lectern/llm" and "lectern/gate" work here, too',
      { details: { runtime: name, version } },
    );
  }
}
