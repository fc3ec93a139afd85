import { basename, dirname, join } from "node:path";

/** The event socket of a host stands beside its own: `host-1234.sock` has `ev-1234.sock`, which is never longer. */
export function eventSocketPath(hostSocket: string): string {
  return join(dirname(hostSocket), basename(hostSocket).replace(/^host-/, "ev-"));
}
