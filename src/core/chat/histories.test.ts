/**
 * The laws of the merge over random histories of an agent: turns in which blocks and prompts come again, shown in windows that scroll,
 * jump, repaint by halves, are resized and are cleared.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInAgents } from "../agents/built-in-agents.ts";
import { drawn } from "../agents/drawn-frame.test.ts";
import { Conversation } from "./conversation.ts";
import { orderOf, type ChatMessage } from "./message.ts";
import { MessageLog } from "./message-log.ts";

const COUNT = Number(process.env["LECTERN_CHAT_HISTORIES"] ?? 200);
const SEED = Number(process.env["LECTERN_CHAT_SEED"] ?? 37);
const FRAME_US = 500_000;

/** A small generator of numbers, the same at each run. */
function numbers(seed: number): (below: number) => number {
  let state = (seed * 2_654_435_761) % 2_147_483_648;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

const code = Array.from({ length: 9 }, (_, index) => `  line ${index} of the code is the same`);

/** A turn: a prompt, which may come again, and an answer, parts of which come again. */
function turnOf(below: (limit: number) => number, number: number): string[] {
  const prompt = below(3) === 0 ? "❯ run the tests again" : `❯ please do item ${number} of ${below(4)}`;
  const block = below(2) === 0 ? code : code.slice(below(5), 5 + below(4));
  const end = below(2) === 0 ? "  that is all" : `  that was all of item ${number}`;
  return [prompt, "", `● answer ${below(3)} follows`, "", ...block, "", end, ""];
}

const box = ["────────────────", "❯ ", "────────────────"];

/** Screens: each is some rows of the conversation. A clear is a screen without any. */
function screensOf(seed: number): { screens: string[][]; lines: number } {
  const below = numbers(seed);
  const lines = 14 + below(14);
  const height = lines - box.length;
  const rows: string[] = [];
  const screens: string[][] = [];
  const windows = 5 + below(36);
  let turns = 0;
  let shown = 0;
  while (screens.length < windows) {
    if (shown >= rows.length) rows.push(...turnOf(below, (turns += 1)));
    // Mostly row by row; sometimes more than a window at once.
    shown = Math.min(rows.length, shown + 1 + below(below(12) === 0 ? 2 * height : 6));
    const window = rows.slice(Math.max(0, shown - height), shown);
    const kind = below(20);
    if (kind === 0) screens.push(window.slice(0, below(window.length + 1)));
    else if (kind === 1) screens.push(window.map((row, index) => (index < window.length / 2 ? "" : row)));
    else if (kind === 2) screens.push(rows.slice(0, Math.min(shown, height)));
    else if (kind === 3) {
      rows.length = shown = 0;
      screens.push([]);
    }
    screens.push(window);
  }
  return { screens, lines };
}

/** Plays screens; `check` is called behind each with all messages, `restores`: a new conversation goes on from what was saved. */
function played(
  { screens, lines }: ReturnType<typeof screensOf>,
  { check, restores = false }: { check?: (messages: readonly ChatMessage[]) => void; restores?: boolean } = {},
): ChatMessage[] {
  let log = new MessageLog();
  let conversation = new Conversation(builtInAgents.chatOf("test", ""), log, 0);
  const messages = new Map<string, ChatMessage>();
  for (const [index, screen] of screens.entries()) {
    if (restores && index % 3 === 0) {
      const [first, second] = JSON.parse(JSON.stringify([log.save(), conversation.save()])) as never[];
      log = new MessageLog(first);
      conversation = new Conversation(builtInAgents.chatOf("test", ""), log, second as never);
    }
    const frame = {
      ...drawn([...screen, ...box], { lines }),
      isAlternate: true,
      offset: index,
      timeUs: index * FRAME_US,
    };
    conversation.frame(frame, []);
    for (const message of log.take()) messages.set(message.id, message);
    conversation.frame({ ...frame, lines: [...frame.lines] }, []);
    assert.deepEqual(log.take(), [], "the same window twice changes nothing");
    check?.([...messages.values()].toSorted((one, other) => orderOf(one) - orderOf(other)));
  }
  return [...messages.values()];
}

/** The messages in front of the last prompt that has an answer. */
function acknowledged(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const said = messages.filter(({ text }) => text !== "");
  const answer = said.findLastIndex(({ role }) => role === "assistant");
  return said.slice(
    0,
    Math.max(
      0,
      said.slice(0, Math.max(0, answer)).findLastIndex(({ role }) => role === "user"),
    ),
  );
}

test(`${COUNT} histories: what a prompt has acknowledged stays, in its place and role, and loses no word`, () => {
  for (let seed = SEED; seed < SEED + COUNT; seed += 1) {
    let before: readonly ChatMessage[] = [];
    let last: readonly ChatMessage[] = [];
    played(screensOf(seed), {
      check: (messages) => {
        const at = (id: string): number => messages.findIndex((message) => message.id === id);
        for (const [index, { id, role, text }] of before.entries()) {
          const now = messages[at(id)];
          assert.equal(now?.role, role, `seed ${seed}, ${id}`);
          assert.ok(now?.text.includes(text), `seed ${seed}, ${id}: ${JSON.stringify([text, now?.text])}`);
          assert.ok(index === 0 || at(before[index - 1]?.id ?? "") < at(id), `seed ${seed}: ${id} moved`);
        }
        // What stood on one screen only may have been an accident of drawing.
        const now = acknowledged(messages);
        before = now.filter(({ id }) => last.some((message) => message.id === id));
        last = now;
      },
    });
  }
});

test(`${Math.ceil(COUNT / 10)} histories: a conversation that is saved at any window goes on the same`, () => {
  for (let seed = SEED; seed < SEED + COUNT / 10; seed += 1) {
    const history = screensOf(seed);
    assert.deepEqual(played(history, { restores: true }), played(history), `seed ${seed}`);
  }
});
