import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { constants as osConstants, tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { launcher } from "../../test/support/launcher.ts";
import { until } from "../../test/support/until.ts";
import { platform } from "../pty/platform.ts";

const own = new URL("end-process.ts", import.meta.url).href;
const OUTPUT_CHARS = 3_000_000;

/** A thread of the process opens a pipe that nobody writes to, which no exit of Node survives. */
const stuck = `
  import { open } from "node:fs";
  import { endProcess, standardStreams } from ${JSON.stringify(own)};
  const { stdin, stdout, stderr } = standardStreams;
  open(process.argv[1], "r", () => {});
  process.on("exit", (code) => stderr.write("exit " + code));
  stdin.once("data", () => {
    stdout.write("x".repeat(${OUTPUT_CHARS}), () => endProcess(7));
  });
`;

test("a process whose thread never returns ends with its exit code, and all of its output", async (context) => {
  const pipe = pipeIn(context);
  const child = spawn(process.execPath, ["--input-type=module", "--eval", stuck, pipe]);
  context.after(() => child.kill("SIGKILL"));
  child.stdin.write("go");
  const [[code, signal], output, note] = await Promise.all([
    once(child, "exit"),
    text(child.stdout),
    text(child.stderr),
  ]);
  assert.deepEqual([code, signal, note, output.length], [7, null, "exit 7", OUTPUT_CHARS]);
});

test("a pipe that another program has too blocks as before", { skip: !platform.hasProc }, (context) => {
  const script =
    'printf go | ("$1" --input-type=module --eval "$2" "$3" >/dev/null 2>&1; echo $?; cat /proc/self/fdinfo/0)';
  const shell = spawnSync("sh", ["-c", script, "sh", process.execPath, stuck, pipeIn(context)], { encoding: "utf8" });
  const [, code, flags = ""] = /^(\d+)\n.*^flags:\s+(\d+)$/ms.exec(shell.stdout) ?? [];
  assert.deepEqual([code, Number.parseInt(flags, 8) & constants.O_NONBLOCK], ["7", 0], shell.stdout);
});

test("a second signal ends a command that waits in a system call", async (context) => {
  const pipe = pipeIn(context);
  const child = spawn(process.execPath, [launcher, "policy", "check", pipe], { stdio: "ignore" });
  context.after(() => child.kill("SIGKILL"));
  const ended = once(child, "exit");
  // It can be opened like this when the command has opened it, which then reads what never comes.
  let writer = -1;
  await until(() => {
    try {
      writer = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch {
      return false;
    }
    return true;
  });
  context.after(() => closeSync(writer));
  const signals = setInterval(() => child.kill("SIGTERM"), 200);
  context.after(() => clearInterval(signals));
  // A further signal may meet the program that has only the exit code; a shell reports both as 143.
  const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null];
  assert.equal(signal === null ? code : 128 + osConstants.signals[signal], 143);
});

function pipeIn(context: { readonly after: (end: () => void) => void }): string {
  const directory = mkdtempSync(join(tmpdir(), "lectern-end-"));
  context.after(() => rmSync(directory, { recursive: true }));
  const pipe = join(directory, "pipe");
  assert.equal(spawnSync("mkfifo", [pipe]).status, 0);
  return pipe;
}
