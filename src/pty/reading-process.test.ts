import assert from "node:assert/strict";
import { test } from "node:test";
import { PtyRun } from "../../test/pty-run.ts";
import { readStat } from "./proc-files.ts";
import { assertReads, processIn } from "./reading-process.ts";

const skip = readStat(process.pid) === undefined;

/** What is in the foreground of a pty, with what the host is told about it. */
function readerIn({ pty }: PtyRun) {
  const group = pty.foregroundGroup() ?? 0;
  const { program, ...reader } = processIn(group, group) ?? assert.fail("nobody is in the foreground");
  return { program, reader };
}

const conflict = (pattern: RegExp) => (error: { code?: string; message?: string; details?: object }) =>
  error.code === "CONFLICT" && pattern.test(error.message ?? "") && "foreground" in (error.details ?? {});

test("a program in the foreground is the reader until it leaves, ends or becomes another one", { skip }, async () => {
  const shell = new PtyRun(["bash", "--norc", "--noediting", "-i"], {
    environment: { PATH: process.env["PATH"] ?? "", PS1: "$ " },
  });
  await shell.until("$ ");
  const bash = readerIn(shell);
  assertReads(bash.reader, shell.pty.foregroundGroup());
  assertReads(bash.reader, undefined);
  shell.write("sh -c 'echo be''gun; read -r _; exec cat /dev/tty'\n");
  await shell.until("begun");
  assert.throws(() => assertReads(bash.reader, shell.pty.foregroundGroup()), conflict(/sh is in the foreground now/));
  const script = readerIn(shell);
  assert.equal(script.program, "sh");
  assertReads(script.reader, shell.pty.foregroundGroup());
  assert.throws(() => assertReads({ ...script.reader, startTicks: 1 }, script.reader.group), conflict(/it has ended/));
  shell.write("go\necho\n");
  await shell.until("echo\r\necho");
  assert.throws(() => assertReads(script.reader, shell.pty.foregroundGroup()), conflict(/it has become cat/));
  // Where the kernel does not show it, only start and group decide.
  assertReads({ ...script.reader, image: null }, shell.pty.foregroundGroup());
  process.kill(script.reader.pid ?? 0, "SIGKILL");
  await shell.until("Killed");
  shell.write("exit\n");
  await shell.ended;
});

test("a stopped program reads nothing", { skip }, async () => {
  const run = new PtyRun(["cat"]);
  run.write("line\n");
  await run.until("line\r\nline");
  const { reader } = readerIn(run);
  process.kill(run.pty.pid, "SIGSTOP");
  while (readStat(run.pty.pid)?.state !== "T") await new Promise(setImmediate);
  assert.throws(() => assertReads(reader, run.pty.foregroundGroup()), conflict(/it is stopped/));
  process.kill(run.pty.pid, "SIGKILL");
  await run.ended;
});
