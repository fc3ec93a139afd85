import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { JournalWriter } from "../journal/writer.ts";
import { readStat } from "../pty/proc-files.ts";
import { processIn } from "../pty/reading-process.ts";
import { HostCounters } from "./host-counters.ts";
import { HostedSession } from "./hosted-session.ts";

const skip = readStat(process.pid) === undefined;

test(
  "what is for another program than the one in the foreground is neither typed nor journaled",
  { skip },
  async () => {
    const directory = await mkdtemp(join(tmpdir(), "lectern-hosted-"));
    const journal = await JournalWriter.open(directory, { retainBytesMax: 1e6 });
    const ended = Promise.withResolvers<void>();
    const nothing = (): void => {};
    const listener = {
      onAdvance: nothing,
      onInput: nothing,
      onDegraded: nothing,
      onExit: () => ended.resolve(),
      onError: (error: unknown) => ended.reject(error),
    };
    const session = new HostedSession(
      {
        session: "one",
        directory,
        command: ["sh", "-c", "read -r _"],
        workingDirectory: directory,
        environment: { PATH: process.env["PATH"] ?? "" },
        columns: 80,
        rows: 24,
        mode: "interactive",
        retainBytesMax: 1e6,
      },
      { counters: new HostCounters(), handle: 1, journal, listener, eventSocket: undefined },
    );
    const { pid, end } = session.info;
    const { program: _, ...reader } = processIn(pid, pid) ?? assert.fail("the program has ended");
    const bytes = Buffer.from("go\n");
    const typeFor = (startTicks: number | null) =>
      session.input(bytes, { key: "k", reader: { ...reader, startTicks } });
    assert.throws(() => typeFor(1), { code: "CONFLICT", details: { foreground: "sh", foregroundGroup: pid } });
    assert.equal(session.end, end);
    const typed = typeFor(reader.startTicks);
    await ended.promise;
    assert.deepEqual(typeFor(1), { ...typed, already: true });
    await rm(directory, { recursive: true });
  },
);
