import assert from "node:assert/strict";
import { test } from "node:test";
import { InputReader } from "../typing/input-reader.ts";
import { FrameReader, type Frame } from "../screen/frame.ts";
import { Screen } from "../screen/screen.ts";
import type { ChatMessage } from "./message.ts";
import { MessageLog } from "./message-log.ts";
import { notReadLine, ShellReader } from "./shell-reader.ts";

/** Output in parts with pauses between, as frames. */
function framesOf(...parts: string[]): Frame[] {
  const reader = new FrameReader(new Screen({ columns: 30, rows: 8 }));
  let offset = 0;
  return parts.flatMap((part, index) => {
    const bytes = new TextEncoder().encode(part);
    offset += bytes.length;
    return [
      ...reader.output(bytes, offset - bytes.length, index * 100_000).frames,
      ...reader.settle(index * 100_000 + 50_000),
    ];
  });
}

function commandsOf(
  frames: readonly Frame[],
  exitCodes: readonly (number | null)[] = [],
  typed: readonly string[] = [],
): string[] {
  const log = new MessageLog();
  const shell = new ShellReader(log);
  const messages = new Map<string, ChatMessage>();
  for (const [index, frame] of frames.entries()) {
    if (exitCodes[index] !== undefined) shell.ended(exitCodes[index] ?? null);
    shell.input(new InputReader().feed(new TextEncoder().encode(typed[index] ?? "")));
    shell.frame(frame, (command) => command.startsWith("agent"));
    for (const message of log.take()) messages.set(message.id, message);
  }
  return [...messages.values()].map(({ shell: command, text, isPartial }) =>
    [command?.command, command?.exitCode, text, isPartial ? "runs" : "done"].join(" | "),
  );
}

test("a command is what was typed at the prompt, with what came out until the next one", () => {
  const frames = framesOf("me@lab:~$ ", "echo one", "\r\none\r\nme@lab:~$ ", "sleep 9", "\r\n");
  assert.deepEqual(commandsOf(frames), ["echo one |  | one | done", "sleep 9 |  |  | runs"]);
});

test("the exit code of a shell mark belongs to the command that ran", () => {
  const frames = framesOf("me@lab:~$ ", "false", "\r\n", "me@lab:~$ ");
  assert.deepEqual(commandsOf(frames, [undefined!, undefined!, undefined!, 1]), ["false | 1 |  | done"]);
});

test("the exit code of a command that ended before it was seen to run", () => {
  const frames = framesOf("me@lab:~$ ", "false", "\r\nme@lab:~$ ");
  assert.deepEqual(commandsOf(frames, [undefined!, undefined!, 1]), ["false | 1 |  | done"]);
});

test("a command that was typed, sent and over within one frame has its exit code; that of an empty line is no other's", () => {
  const frames = framesOf("me@lab:~$ ", "false\r\nme@lab:~$ ", "\r\nme@lab:~$ ", "sleep 9", "\r\n");
  assert.deepEqual(commandsOf(frames, [undefined!, 1, 130]), ["false | 1 |  | done", "sleep 9 |  |  | runs"]);
});

test("a line that was given up with Ctrl-C is no command, whether or not the terminal shows it", () => {
  const shown = framesOf(
    "me@lab:~$ ",
    "^C\r\nme@lab:~$ ",
    "rm -r x^C\r\nme@lab:~$ ",
    "echo one",
    "\r\none\r\nme@lab:~$ ",
  );
  assert.deepEqual(commandsOf(shown), ["echo one |  | one | done"]);
  const hidden = framesOf("me@lab:~$ ", "rm -r x", "\r\nme@lab:~$ ", "sleep 9", "\r\n");
  assert.deepEqual(commandsOf(hidden, [], ["", "rm -r x", "\u0003", "sleep 9", "\r"]), ["sleep 9 |  |  | runs"]);
});

test("Ctrl-C behind Enter is for the command that runs, and what stands in a paste is no key", () => {
  const frames = framesOf("me@lab:~$ ", "echo ^C", "\r\n^C", "\r\nme@lab:~$ ");
  const paste = "\u001B[200~echo ^C\u0003\u001B[201~";
  assert.deepEqual(commandsOf(frames, [], ["", paste, "\r\u0003"]), ["echo ^C |  | ^C | done"]);
});

test("what a shell writes at the right edge is no part of a command", () => {
  const right = "\u001B7\u001B[1;21H[12:30:59]\u001B8";
  const frames = framesOf(`\u001B[H${right}me@lab:~$ `, "echo one", "\r\none\r\nme@lab:~$ ");
  assert.deepEqual(commandsOf(frames), ["echo one |  | one | done"]);
});

test("look-alikes in the output and prompts of other programs are output", () => {
  const frames = framesOf(
    "me@lab:~$ ",
    "python3",
    "\r\n>>> ",
    "1",
    "\r\n1\r\nyou@lab:~$ fake\r\n>>> ",
    "\r\nme@lab:/tmp$ ",
  );
  assert.deepEqual(commandsOf(frames), ["python3 |  | >>> 1\n1\nyou@lab:~$ fake\n>>> | done"]);
});

test("a prompt of two rows is no output", () => {
  const frames = framesOf("me@lab:~\r\n$ ", "echo one", "\r\none\r\nme@lab:/tmp\r\n$ ");
  assert.deepEqual(commandsOf(frames), ["echo one |  | one | done"]);
});

test("a cleared screen and a command longer than a row", () => {
  const frames = framesOf(
    "me@lab:~$ ",
    "clear",
    "\r\n",
    "\u001B[H\u001B[2J\u001B[3Jme@lab:~$ ",
    "echo a-line-of-thirty-characters",
    "\r\nb\r\nme@lab:~$ ",
  );
  assert.deepEqual(commandsOf(frames), ["clear |  |  | done", "echo a-line-of-thirty-characters |  | b | done"]);
});

test("an agent's command is no message, and tells where its output begins", () => {
  const [prompt, typed, sent] = framesOf("me@lab:~$ ", "agent --fast", "\r\nhello");
  const log = new MessageLog();
  const shell = new ShellReader(log);
  const isAgent = (command: string): boolean => command.startsWith("agent");
  assert.equal(shell.frame(prompt!, isAgent), null);
  assert.equal(shell.frame(typed!, isAgent), null);
  const restored = new ShellReader(log, JSON.parse(JSON.stringify(shell.save())));
  assert.deepEqual(restored.frame(sent!, isAgent), { command: "agent --fast", firstLine: 1 });
  assert.deepEqual(log.take(), []);
});

test("what a program draws on the whole screen is said not to be read", () => {
  const alternate = "\r\n\u001B[?1049h\u001B[Htext";
  const frames = framesOf("me@lab:~$ ", "vim", alternate, "\u001B[?1049lsaved\r\nme@lab:~$ ", "make", alternate);
  assert.deepEqual(commandsOf(frames), [`vim |  | ${notReadLine}\nsaved | done`, `make |  | ${notReadLine} | runs`]);
});

test("a command that has left its row before the shell says that it has taken it is one command", () => {
  const log = new MessageLog();
  const shell = new ShellReader(log);
  const [prompt, typed, left, again, next] = framesOf("me@lab:~$ ", "false", "\r\n", "a", "\rme@lab:~$ ");
  const draw = (frame?: Frame) => shell.frame(frame ?? assert.fail(), () => false);
  const place = { offset: 0, timeUs: 0 };
  draw(prompt);
  draw(typed);
  draw(left);
  shell.handOver("false");
  draw(again);
  shell.started(place, () => false);
  shell.ended(1);
  draw(next);
  const messages = new Map(log.take().map((message) => [message.id, message.shell]));
  assert.deepEqual([...messages.values()], [{ command: "false", exitCode: 1 }]);
  // The same command once more is another one, also if no frame came between.
  shell.handOver("false");
  draw(next);
  shell.started(place, () => false);
  shell.handOver("false");
  draw(next);
  shell.started(place, () => false);
  assert.equal(new Set(log.take().map(({ id }) => id)).size, 2);
});
