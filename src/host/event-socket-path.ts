import { basename, dirname, join } from "node:path";

/** The environment variable that tells a program where to send events. Read by `lectern emit`. */
export const EVENT_SOCKET_VARIABLE = "LECTERN_EVENT_SOCKET";

/** The event socket is beside the host's own socket: `ev-1234.sock` for `host-1234.sock`, so its path is never longer. */
export const eventSocketPath = (hostSocket: string): string =>
  join(dirname(hostSocket), basename(hostSocket).replace(/^host-/, "ev-"));
