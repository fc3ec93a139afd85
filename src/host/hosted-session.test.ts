import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { JournalReader } from "../journal/reader.ts";
import { JournalWriter } from "../journal/writer.ts";
import { readStat } from "../pty/proc-files.ts";
import { PipedProgram } from "../pty/piped-program.ts";
import { processIn } from "../pty/reading-process.ts";
import { HostCounters } from "./host-counters.ts";
import { HostedSession } from "./hosted-session.ts";

const skip = readStat(process.pid) === undefined;

/** A program on a pty or on pipes with a journal, and what it has written. */
async function hosted(command: readonly [string, ...string[]], mode: "interactive" | "acp" = "interactive") {
  const directory = await mkdtemp(join(tmpdir(), "lectern-hosted-"));
  const journal = await JournalWriter.open(directory, { retainBytesMax: 1e6 });
  const ended = Promise.withResolvers<void>();
  const advanced = new Set<() => void>();
  const advance = (): void => advanced.forEach((each) => each());
  const listener = {
    onAdvance: advance,
    onInput: advance,
    onDegraded: () => {},
    onExit: () => ended.resolve(),
    onError: (error: unknown) => ended.reject(error),
  };
  const session = new HostedSession(
    {
      session: "one",
      directory,
      command,
      workingDirectory: directory,
      environment: { PATH: process.env["PATH"] ?? "", PS1: "$ " },
      columns: 80,
      rows: 24,
      mode,
      retainBytesMax: 1e6,
    },
    { counters: new HostCounters(), handle: 1, journal, listener, eventSocket: undefined, piped: PipedProgram },
  );
  const reader = await JournalReader.open(directory);
  const output = async (): Promise<string> => {
    reader.refresh();
    const { records } = await reader.read(0);
    return records.map(({ type, payload }) => (type === "output" ? Buffer.from(payload).toString() : "")).join("");
  };
  const until = async (isReached: () => boolean | Promise<boolean>): Promise<void> => {
    for (let end = -1; !(await isReached()); end = session.end)
      if (end === session.end) await new Promise<void>((resolve) => advanced.add(resolve));
  };
  const group = (): number => readStat(session.info.pid)?.foregroundGroup ?? -1;
  const remove = async (): Promise<void> => {
    await session.kill(0);
    await ended.promise;
    await rm(directory, { recursive: true });
  };
  return { session, ended: ended.promise, output, until, group, remove };
}

test(
  "what is for another program than the one in the foreground is neither typed nor journaled",
  { skip },
  async () => {
    const { session, ended, remove } = await hosted(["sh", "-c", "read -r _"]);
    const { pid, end } = session.info;
    const { program: _, ...reader } = processIn(pid, pid) ?? assert.fail("the program has ended");
    const bytes = Buffer.from("go\n");
    const typeFor = (startTicks: number | null) =>
      session.input(bytes, { key: "k", reader: { ...reader, startTicks } });
    assert.throws(() => typeFor(1), { code: "CONFLICT", details: { foreground: "sh", foregroundGroup: pid } });
    assert.equal(session.end, end);
    const typed = typeFor(reader.startTicks);
    await ended;
    assert.deepEqual(typeFor(1), { ...typed, already: true });
    await remove();
  },
);

test("an answer of the terminal is for the group that was in the foreground when it was asked", { skip }, async () => {
  const { session, output, until, group, remove } = await hosted(["bash", "--norc", "--noediting", "-i"]);
  const { pid } = session.info;
  await until(async () => (await output()).includes("$ ") && group() === pid);
  session.input(Buffer.from("sh -c 'stty -echo; echo asks; read -r _; stty echo; echo read'\n"));
  await until(async () => (await output()).includes("\nasks") && group() !== pid);
  const asked = session.end;
  session.input(Buffer.from("answer\n"), { asked });
  await until(async () => (await output()).includes("\nread") && group() === pid);
  const { end } = session;
  assert.throws(() => session.input(Buffer.from("late"), { asked }), { code: "CONFLICT" });
  assert.equal(session.end, end);
  await remove();
});

test("a key that acts is not typed before what stands in front of it is read", { skip }, async () => {
  const { session, output, until, remove } = await hosted(["sh", "-c", "stty raw -echo; echo raw; sleep 600"]);
  await until(async () => (await output()).includes("raw"));
  session.input(Buffer.from("text"));
  assert.throws(() => session.input(Buffer.from("\r"), { acts: true }), {
    code: "CONFLICT",
    message: /has not read what was typed before/,
  });
  await remove();
});

test("a key that acts is typed as soon as what stands in front of it is read", { skip }, async () => {
  const script = "stty raw -echo; echo raw; kill -STOP $$; dd bs=1 count=5 2>/dev/null; echo; echo over; sleep 600";
  const { session, output, until, remove } = await hosted(["sh", "-c", script]);
  await until(async () => (await output()).includes("raw"));
  session.input(Buffer.from("text"));
  const pressed = session.press(Buffer.from("\r"), { acts: true });
  session.signal("SIGCONT");
  await pressed;
  await until(async () => (await output()).includes("over"));
  assert.match(await output(), /text\r\nover/);
  await remove();
});

test("the line of a connection that closes in a message is ended, and until then nobody else writes", async () => {
  const { output, remove, session, until } = await hosted(["cat"], "acp");
  const [one, other] = [{}, {}];
  session.speak({ text: '{"id":1,"half' }, { speaker: one });
  for (const how of [{ speaker: other }, { key: "answer", speaker: one }])
    assert.throws(() => session.speak({ text: "\n" }, how), { code: "CONFLICT", details: { unfinished: true } });
  session.left(other);
  session.speak({ text: '-way"' }, { speaker: one });
  session.left(one);
  session.left(one);
  session.speak({ text: "the next message\n" }, { speaker: other });
  await until(async () => (await output()).includes("next"));
  assert.equal(await output(), '{"id":1,"half-way"\r\nthe next message\r\n');
  await remove();
});
