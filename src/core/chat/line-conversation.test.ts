import assert from "node:assert/strict";
import { test } from "node:test";
import { nativePattern } from "../agents/pattern.ts";
import { FrameReader } from "../screen/frame.ts";
import { Screen } from "../screen/screen.ts";
import { LineConversation } from "./line-conversation.ts";
import { MessageLog } from "./message-log.ts";

const bot = { prompt: "^ask> " };

/** A session that is fed with output, typed lines (`typed`) and sizes. */
type Part = string | { readonly typed: string } | { readonly columns: number };

function talk(
  rule: { readonly prompt: string; readonly more?: string; readonly skip?: readonly string[] },
  parts: readonly Part[],
  { restore = false, end = true } = {},
): string[] {
  const agent = "bot";
  const rules = {
    prompt: nativePattern(rule.prompt),
    more: rule.more === undefined ? null : nativePattern(rule.more),
    skip: (rule.skip ?? []).map(nativePattern),
  };
  const log = new MessageLog();
  const reader = new FrameReader(new Screen({ columns: 20, rows: 6 }));
  const messages = new Map<string, string>();
  let conversation = new LineConversation({ agent, rules }, log, 0);
  let [offset, timeUs] = [0, 0];
  const take = (): void => {
    for (const message of log.take()) {
      const sign = message.isPartial ? "…" : "";
      messages.set(message.id, `${message.role}: ${message.text}${sign}`);
    }
  };
  for (const part of parts) {
    timeUs += 1_000_000;
    const frames = [];
    if (typeof part === "string") {
      const bytes = new TextEncoder().encode(part);
      frames.push(...reader.output(bytes, offset, timeUs).frames);
      offset += bytes.length;
    } else if ("columns" in part) frames.push(...reader.resize(part.columns, 6));
    else conversation.typed(part.typed);
    for (const frame of [...frames, ...reader.settle(timeUs + 500_000)]) conversation.frame(frame);
    if (restore)
      conversation = new LineConversation({ agent, rules }, log, JSON.parse(JSON.stringify(conversation.save())));
    take();
  }
  if (end) conversation.end({ offset, timeUs });
  take();
  return [...messages.values()];
}

const dialog: readonly Part[] = [
  "MyBot 1.0\r\nask> ",
  "hello",
  { typed: "hello" },
  "\r\nHello!\r\nHow are",
  " you?\r\nask> ",
  "/exit",
  "\r\nbye\r\n",
];

test("what was sent at the prompt is the user's, what comes until the next prompt the answer", () => {
  const expected = [
    "welcome: MyBot 1.0",
    "user: hello",
    "assistant: Hello!\nHow are you?",
    "user: /exit",
    "assistant: bye",
  ];
  assert.deepEqual(talk(bot, dialog), expected);
  assert.deepEqual(talk(bot, dialog, { restore: true }), expected);
});

test("an answer grows while it is printed", () => {
  assert.deepEqual(talk(bot, dialog.slice(1, 4), { end: false }), ["welcome: hello\nHello!\nHow are…"]);
  assert.deepEqual(talk(bot, dialog.slice(0, 4), { end: false }).at(-1), "assistant: Hello!\nHow are…");
});

test("one part of output may hold a turn, and the line that was typed is exact where the screen wraps it", () => {
  const typed = "a line  that is longer than a row";
  assert.deepEqual(talk(bot, ["ask> ", { typed }, `${typed}\r\nyes\r\nask> `]), [`user: ${typed}`, "assistant: yes"]);
});

test("the same turn twice is two turns, also when the first one has left the screen", () => {
  const turn: readonly Part[] = ["run it", { typed: "run it" }, `\r\n${"line\r\n".repeat(8)}ask> `];
  const said = ["user: run it", `assistant: ${Array.from({ length: 8 }, () => "line").join("\n")}`];
  assert.deepEqual(talk(bot, ["ask> ", ...turn, ...turn, ...turn]), [...said, ...said, ...said]);
});

test("an empty line, a line that was given up and a moved prompt say nothing", () => {
  assert.deepEqual(talk(bot, ["ask> ", "\r\nask> ", "no^C\r\nask> ", "\u001B[H\u001B[Jask> "]), []);
});

test("rows that nobody said are left out, and a further line of a text has a prompt of its own", () => {
  const ollama = { prompt: "^>>> ", more: String.raw`^\.\.\. `, skip: ["^─+$", "^Tokens: "] };
  const parts: readonly Part[] = [
    "─────\r\n>>> \u001B[38;5;245mSend a message\u001B[m\u001B[14D",
    '\u001B[K"""one',
    '\r\n... two"""',
    "\r\nYes.\r\n\r\nTokens: 3 sent\r\n─────\r\n>>> ",
  ];
  assert.deepEqual(talk(ollama, parts), ['user: """one\ntwo"""', "assistant: Yes."]);
});

test("a resize wraps the rows anew", () => {
  const parts: readonly Part[] = [
    "welcome\r\nask> ",
    "what is it",
    { columns: 10 },
    { typed: "what is it" },
    "\r\nit is this\r\nask> ",
  ];
  assert.deepEqual(talk(bot, parts), ["welcome: welcome", "user: what is it", "assistant: it is this"]);
});

test("missing bytes make the answer incomplete", () => {
  const log = new MessageLog();
  const rules = { prompt: nativePattern(bot.prompt), more: null, skip: [] };
  const conversation = new LineConversation({ agent: "bot", rules }, log, 0);
  const reader = new FrameReader(new Screen({ columns: 20, rows: 6 }));
  const output = new TextEncoder().encode("ask> hi\r\nan answ");
  for (const frame of [...reader.output(output, 0, 0).frames, ...reader.settle(1e6)]) conversation.frame(frame);
  conversation.gap({ offset: 99, timeUs: 2e6 });
  assert.deepEqual(
    log.take().map(({ text, isIncomplete }) => [text, isIncomplete]),
    [["ask> hi\nan answ", true]],
  );
});

test("a line that was entered waits for what comes next: the prompt for a further line, an answer, or the end", () => {
  const rule = { ...bot, more: "^\\.\\.\\. " };
  const parts = ["ask> ", '"""one\r\n', '... two"""\r\n', "An answer.\r\nask> "];
  assert.deepEqual(talk(rule, parts), ['user: """one\ntwo"""', "assistant: An answer."]);
  assert.deepEqual(talk(rule, parts, { restore: true }), ['user: """one\ntwo"""', "assistant: An answer."]);
  const apart = ["ask> ", '"""one\r\n... ', 'two"""\r\n', "An answer.\r\nask> "];
  assert.deepEqual(talk(rule, apart), ['user: """one\ntwo"""', "assistant: An answer."]);
  assert.deepEqual(talk(rule, ["ask> ", "one\r\n"]), ["user: one"]);
  assert.deepEqual(talk(rule, ["ask> ", "one\r\n", "ask> "]), ["user: one"]);
});
