import assert from "node:assert/strict";
import { test } from "node:test";
import { observationsOf } from "../../../test/observed.ts";
import { wireTurn } from "../../../test/marks.ts";
import { FrameReader } from "../screen/frame.ts";
import { Screen } from "../screen/screen.ts";
import type { Step } from "../observe/step.ts";
import { stepsOf as castStepsOf, type CastEvent } from "../../../test/frames.ts";
import { ChatFold, ApprovalMessages, approvalText } from "./chat-fold.ts";
import type { ChatMessage } from "./message.ts";
import { noSubject, type Approval } from "../dialogs/approval.ts";
import { MessageLog } from "./message-log.ts";

/** Output in parts with pauses between, as steps of a session of `command`. */
function stepsOf(command: readonly string[], ...parts: string[]): Step[] {
  const reader = new FrameReader(new Screen({ columns: 40, rows: 12 }));
  let offset = 0;
  const steps: Step[] = [{ type: "start", command, offset: 0, timeUs: 0 }];
  for (const [index, part] of parts.entries()) {
    const bytes = new TextEncoder().encode(part);
    const timeUs = index * 1_000_000;
    offset += bytes.length;
    const { frames } = reader.output(bytes, offset - bytes.length, timeUs);
    steps.push(...[...frames, ...reader.settle(timeUs + 500_000)].map((frame): Step => ({ type: "frame", frame })));
  }
  steps.push({ type: "exit", code: 0, signal: null, offset, timeUs: 9e6 });
  return steps;
}

function messagesOf(steps: readonly Step[], { restore = false } = {}): ChatMessage[] {
  let fold = new ChatFold();
  const messages = new Map<string, ChatMessage>();
  for (const observation of observationsOf(steps, { markNonce: "5f" })) {
    if (restore) fold = new ChatFold(JSON.parse(JSON.stringify(fold.save())));
    for (const message of fold.step(observation)) messages.set(message.id, message);
  }
  return [...messages.values()];
}

const brief = (messages: readonly ChatMessage[]): string[] =>
  messages.map(
    ({ role, agent, text, shell }) =>
      `${agent ?? "-"} ${role}: ${shell === undefined ? "" : `${shell.command} => `}${text}`,
  );

const box = "────────────────\r\n❯ \r\n────────────────\r\n  ? for shortcuts";
const shade = (text: string): string => `\u001B[48;5;236m${text.padEnd(40)}\u001B[0m`;
const session = stepsOf(
  ["bash"],
  "me@lab:~$ ",
  "echo one",
  "\r\none\r\nme@lab:~$ ",
  "claude",
  "\r\n\u001B[?1049h\u001B[H",
  `${shade("❯ question")}\r\n\r\n● answer\r\n\r\n${box}`,
  "\u001B[?1049lbye\r\nme@lab:~$ ",
  "echo two",
  "\r\ntwo\r\nme@lab:~$ ",
);

test("a shell, an agent in it and the shell again", () => {
  assert.deepEqual(brief(messagesOf(session)), [
    "- shell: echo one => one",
    "claude conversation-start: claude",
    "claude user: question",
    "claude assistant: answer",
    "claude exit: bye",
    "- shell: echo two => two",
    "- exit: exit code 0",
  ]);
});

test("an agent that erases the screen below a shell has all of it, and what started it is no message", () => {
  const steps = stepsOf(
    ["bash"],
    "one\r\ntwo\r\nthree\r\nme@lab:~$ ",
    "claude",
    `\r\n${shade("❯ old")}\r\n${box}`,
    `\u001B[2J\u001B[H${shade("❯ question")}\r\n● answer\r\n${box}`,
    "\u001B[2J\u001B[Hbye\r\nme@lab:~$ ",
  );
  assert.deepEqual(brief(messagesOf(steps, { restore: true })).slice(1, -1), [
    "claude user: old",
    "claude user: question",
    "claude assistant: answer",
    "claude exit: bye",
  ]);
});

test("an agent that erases its rows when it ends has left, though the shell's prompt stands where it began", () => {
  const steps = stepsOf(
    ["bash"],
    "me@lab:~$ ",
    "claude",
    `\r\n${shade("❯ question")}\r\n● answer\r\n${box}`,
    "\r\u001B[5A\u001B[Jme@lab:~$ ",
    "echo two",
    "\r\ntwo\r\nme@lab:~$ ",
  );
  assert.deepEqual(brief(messagesOf(steps)), [
    "claude conversation-start: claude",
    "claude user: question",
    "claude assistant: answer",
    "claude exit: ",
    "- shell: echo two => two",
    "- exit: exit code 0",
  ]);
});

test("a fold that was saved at any step goes on the same", () => {
  assert.deepEqual(messagesOf(session, { restore: true }), messagesOf(session));
});

test("where bytes are missing, the last message says that it is incomplete", () => {
  const steps = stepsOf(["claude"], `${shade("❯ question")}\r\n\r\n● answer\r\n\r\n${box}`);
  const messages = messagesOf([...steps.slice(0, -1), { type: "gap", offset: 900, timeUs: 2_000_000 }]);
  assert.deepEqual(
    messages.map(({ role, isIncomplete }) => [role, isIncomplete]),
    [
      ["conversation-start", false],
      ["user", false],
      ["assistant", true],
    ],
  );
});

test("what is kept of a session that is over is little", () => {
  const fold = new ChatFold();
  for (const observation of observationsOf(session)) fold.step(observation);
  assert.deepEqual(fold.save().log.open, []);
});

test("what the gateway saw makes messages exact", () => {
  const steps = stepsOf(["claude"], `${shade("❯ question")}\r\n\r\n● an answer with code\r\n\r\n${box}`);
  const turn = wireTurn({ text: "an **answer** with `code`" });
  const mark: Step = { type: "mark", event: turn, offset: 900, end: 901, timeUs: 2_000_000 };
  const messages = messagesOf([...steps.slice(0, -1), mark, ...steps.slice(-1)]);
  assert.deepEqual(
    messages.map(({ role, source, text }) => [role, source, text]),
    [
      ["conversation-start", "screen", "claude"],
      ["user", "screen", "question"],
      ["assistant", "wire", "an **answer** with `code`"],
      ["exit", "screen", "exit code 0"],
    ],
  );
});

test("an agent that was started without a shell", () => {
  const steps = stepsOf(["claude"], `${shade("❯ question")}\r\n\r\n● answer\r\n\r\n${box}`);
  assert.deepEqual(brief(messagesOf(steps)), [
    "claude conversation-start: claude",
    "claude user: question",
    "claude assistant: answer",
    "claude exit: exit code 0",
  ]);
});

test("an agent whose name was typed before the shell's prompt came", () => {
  const [start, ...frames] = stepsOf(
    ["bash"],
    "cl\r\nme@lab:~$ claude",
    "\r\n\u001B[?1049h\u001B[H",
    `${shade("❯ question")}\r\n\r\n● answer\r\n\r\n${box}`,
  );
  const input: Step = {
    type: "input",
    bytes: new TextEncoder().encode("claude\r"),
    isSecret: false,
    offset: 0,
    timeUs: 0,
  };
  assert.ok(start);
  assert.deepEqual(brief(messagesOf([start, input, ...frames])).slice(0, 3), [
    "claude conversation-start: claude",
    "claude user: question",
    "claude assistant: answer",
  ]);
});

/** What a shell whose prompt has marks writes for commands that were typed ahead. */
const marked = (...commands: readonly (readonly [command: string, output: string, exitCode: number])[]): string =>
  commands
    .map(
      ([command, output, exitCode]) =>
        `${command}\r\n\u001B]133;C\u0007${output}\u001B]133;D;${exitCode}\u0007${markedPrompt}`,
    )
    .join("");
const markedPrompt = "\u001B]133;A\u0007me@lab:~$ \u001B]133;B;lectern=5f\u0007";
const quick = marked(
  ["echo one", "one\r\n", 0],
  ["false", "", 1],
  ["printf x", "x", 0],
  ["ls /none", "ls: none\r\n", 2],
);

test("commands of a shell with marks are messages of their own, however quickly they follow", () => {
  const events: CastEvent[] = [
    [0, "o", markedPrompt + quick],
    [1, "o", marked(["seq 30", "0\r\n".repeat(30), 0], ["true", "", 0])],
  ];
  const options = { columns: 40, rows: 12 };
  const whole = messagesOf([...castStepsOf(events, options)]);
  assert.deepEqual(
    whole.map(({ shell, text }) => `${shell?.command} ${shell?.exitCode} ${text.replaceAll("\n", " ")}`),
    [
      "echo one 0 one",
      "false 1 ",
      "printf x 0 x",
      "ls /none 2 ls: none",
      `seq 30 0 ${"0 ".repeat(30).trim()}`,
      "true 0 ",
    ],
  );
  for (let cut = 1; cut < quick.length; cut += 1)
    assert.deepEqual(messagesOf([...castStepsOf(events, { ...options, cutsAt: [cut] })]), whole, `cut at ${cut}`);
});

test("in a session that the kernel is asked about, only the shell's own marks give exit codes", () => {
  const probe: Step = { type: "foreground", verdict: "raw", program: "bash", offset: 0, timeUs: 0 };
  const exitCodes = (text: string): unknown[] => {
    const steps = castStepsOf([[0, "o", text]], { columns: 40, rows: 12, markNonce: "5f" });
    return messagesOf([probe, ...steps], { restore: true }).map(({ shell }) => shell?.exitCode);
  };
  const forged = marked(["./lie", "x\u001B]133;D;0\u0007\r\n", 3], ["true", "", 0]);
  assert.deepEqual(exitCodes(markedPrompt + forged), [null, null]);
  assert.deepEqual(exitCodes(markedPrompt + forged.replaceAll(/(D;\d+)\u0007\u001B/g, "$1;n=5f\u0007\u001B")), [3, 0]);
});

/** What an agent writes and a person types, in turn, a second apart; `restore` saves the fold between any two steps. */
const played = (command: string, events: readonly (readonly [type: "o" | "i", data: string])[]): string[] => {
  const casts = events.map(([type, data], index): CastEvent => [index, type, data]);
  const start: Step = { type: "start", command: [command], offset: 0, timeUs: 0 };
  const exit: Step = { type: "exit", code: 0, signal: null, offset: 9_999, timeUs: 99_000_000 };
  const steps = [start, ...castStepsOf(casts, { columns: 40, rows: 12 }), exit];
  const whole = messagesOf(steps);
  assert.deepEqual(messagesOf(steps, { restore: true }), whole);
  return brief(whole.filter(({ text, shell }) => text !== "" || (shell?.command ?? "") !== ""));
};
const full = "\u001B[?1049h\u001B[H\u001B[2J";
const cleared = "\u001B[H\u001B[2J";

test("a command that clears the screen comes before the conversation that it begins, and the last one is not lost", () => {
  const welcome = "Welcome to Claude\r\n\r\n";
  const turn = `${shade("❯ question")}\r\n\r\n● answer\r\n\r\n`;
  assert.deepEqual(
    played("claude", [
      ["o", `${full}${welcome}${turn}${box}`],
      ["i", "/clear\r"],
      ["o", `${cleared}${welcome}❯ /clear\r\n\r\n${box}`],
      ["i", "/exit\r"],
      ["o", "\u001B[?1049l"],
    ]),
    [
      "claude conversation-start: claude",
      "claude welcome: Welcome to Claude",
      "claude user: question",
      "claude assistant: answer",
      "claude command: /clear",
      "claude conversation-start: claude",
      "claude welcome: Welcome to Claude",
      "claude command: /exit",
      "claude exit: exit code 0",
    ],
  );
});

test("a program of which nothing is known is not read, until it turns out to be an agent", () => {
  const plainBox = "────────────────\r\n❯ \r\n────────────────";
  assert.deepEqual(
    played("./newcomer.js", [
      ["o", `${full}Hello\r\n\r\n${plainBox}`],
      ["i", "fix the tests\r"],
    ]),
    ["- shell: ./newcomer.js => … full screen, not read …", "- exit: exit code 0"],
  );
  assert.deepEqual(
    played("./newcomer.js", [
      ["o", `${full}Hello\r\n\r\n${plainBox}`],
      ["i", "fix the tests\r"],
      ["o", `${cleared}Hello\r\n\r\n❯ fix the tests\r\n\r\n● They run.\r\n\r\n${plainBox}`],
    ]),
    [
      "newcomer conversation-start: newcomer",
      "newcomer welcome: Hello",
      "newcomer user: fix the tests",
      "newcomer assistant: They run.",
      "newcomer exit: exit code 0",
    ],
  );
});

const approval: Approval = {
  id: "a1",
  source: "screen",
  kind: "permission",
  agent: "claude",
  question: "Do you want to proceed?",
  details: "rm -rf out",
  options: [
    { id: "1", label: "Yes", effect: "allow" },
    { id: "2", label: "No", effect: "deny" },
  ],
  ...noSubject,
  selected: "1",
  isComplete: true,
  whyHint: null,
  offset: 10,
  timeUs: 1_000,
  state: "open",
  answer: null,
};

test("a question is one message, which gets the answer", () => {
  const log = new MessageLog();
  const messages = new ApprovalMessages(log);
  messages.see(approval);
  const [asked] = log.take();
  assert.deepEqual([asked?.role, asked?.approval, asked?.isPartial], ["approval", "a1", true]);
  const restored = new ApprovalMessages(log, JSON.parse(JSON.stringify(messages.save())));
  restored.see({ ...approval, state: "answered", answer: { option: "2", by: "ann", timeUs: 2_000 } });
  const [answered] = log.take();
  assert.deepEqual([answered?.id, answered?.isPartial, answered?.endTimeUs], [asked?.id, false, 2_000]);
  assert.equal(answered?.text, "Do you want to proceed?\nrm -rf out\n[ ] 1. Yes\n[x] 2. No\nanswered by ann");
  restored.see({ ...approval, id: "a2" });
  assert.notEqual(log.take()[0]?.id, asked?.id);
});

test("a question that went by itself says so", () => {
  assert.match(approvalText({ ...approval, state: "gone" }), /gone without an answer$/);
});
