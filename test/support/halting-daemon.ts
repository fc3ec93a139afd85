/** A process with a daemon that starts a session and halts in the middle of it, to be killed there. */
import { startDaemon } from "../../src/daemon/daemon.ts";
import { lecternPaths } from "../../src/daemon/paths.ts";
import type { SessionPart } from "../../src/daemon/parts/session-part.ts";
import { operations } from "../../src/protocol/operations.ts";
import { fullStart } from "./start-traces.ts";

const [, , home = "", repository = "", haltAfter = ""] = process.argv;
// A promise that stays open does not keep a process alive.
setInterval(() => undefined, 60_000);

const haltsAfter = (name: string): SessionPart => ({
  name: `halt after ${name}`,
  begin: async () => {
    if (name !== haltAfter) return;
    console.log("halted");
    await new Promise(() => undefined);
  },
});

const { service } = await startDaemon(lecternPaths({ LECTERN_HOME: home }), {
  version: "0.0.0-test",
  onStop: () => undefined,
  onError: console.error,
  sessionParts: (own) => [haltsAfter("the beginning"), ...own.flatMap((part) => [part, haltsAfter(part.name)])],
});
const input = operations["sessions.create"].input.parse(fullStart(repository));
const context = { caller: { scope: "admin", session: null }, signal: new AbortController().signal } as const;
await service.handlers["sessions.create"](input, context);
console.log("started");
