/** A process with a daemon that halts in the middle of the start of a session, or of the end of one, to be killed there. */
import { startDaemon } from "../../src/daemon/daemon.ts";
import { features } from "../../src/features/features.ts";
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
    if (name === haltAfter) await halt();
  },
});

/** The first part that ends. */
const haltsAtEnd: SessionPart = {
  name: "halt at the end",
  begin: () => undefined,
  end: async ({ stored }) => {
    if (haltAfter === "the program" && stored.state !== "starting") await halt();
  },
};

async function halt(): Promise<void> {
  console.log("halted");
  await new Promise(() => undefined);
}

const { service } = await startDaemon(lecternPaths({ LECTERN_HOME: home }), {
  features,
  version: "0.0.0-test",
  onStop: () => undefined,
  onError: console.error,
  times: { partEndMs: 600_000 },
  sessionParts: (own) => [
    haltsAfter("the beginning"),
    ...own.flatMap((part) => [part, haltsAfter(part.name)]),
    haltsAtEnd,
  ],
});
const input = operations["sessions.create"].input.parse(fullStart(repository));
const context = { caller: { scope: "admin", session: null }, signal: new AbortController().signal } as const;
const { id } = await service.handlers["sessions.create"](input, context);
await service.handlers["sessions.kill"]({ session: id, graceMs: 0 }, context);
