/** Entry of the pty host process: `main.js SOCKET VERSION`. It exits when it has nothing left to do. */
import { waits } from "../core/waits.ts";
import { eventSocketPath } from "./socket-path.ts";
import { PtyHost } from "./host.ts";

const [path, version] = process.argv.slice(2);
if (path === undefined || version === undefined) throw new Error("usage: main.js SOCKET VERSION");

// A hang-up or Ctrl-C in the terminal that started the daemon must not end the programs.
for (const signal of ["SIGHUP", "SIGINT", "SIGPIPE"] as const) process.on(signal, () => {});

// Its log is a file: a full disk must not end the programs.
process.stderr.on("error", () => {});

const host = new PtyHost({
  version,
  idleMs: waits.idleMs,
  onIdle: async () => {
    await host.close();
    process.exit(0);
  },
});

await host.listen(path);
await host.listenForEvents(eventSocketPath(path));
// The daemon waits for this line before it connects.
process.stdout.write("ready\n");
