/** The size that the kernel has for the terminal of a session. */
import { constants, openSync, realpathSync } from "node:fs";
import { WriteStream } from "node:tty";
import type { LecternClient } from "../../src/client/client.ts";
import { until } from "./until.ts";

/** As `stty size` prints it, without a process for each look. */
function sizeOf(terminal: string): string {
  const stream = new WriteStream(openSync(terminal, constants.O_RDWR | constants.O_NOCTTY));
  const { columns, rows } = stream;
  stream.destroy();
  return `${rows} ${columns}`;
}

/** Waits until it is this size. */
export async function untilSize(client: LecternClient, session: string, size: string): Promise<void> {
  const { pid } = await client.call("sessions.get", { session });
  // A process that has just been forked has the descriptors of the host.
  let terminal = "";
  await until(() => (terminal = realpathSync(`/proc/${pid}/fd/0`)).startsWith("/dev/pts/"));
  await until(() => sizeOf(terminal) === size, `the size ${size}`);
}
