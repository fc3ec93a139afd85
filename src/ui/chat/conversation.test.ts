import assert from "node:assert/strict";
import { test } from "node:test";
import { noSubject } from "../../core/dialogs/approval.ts";
import type { ChatMessage } from "../../core/chat/message.ts";
import type { ViewChange } from "../../core/views/change.ts";
import { ConversationItems } from "./conversation.ts";

const message = (id: string, offset: number, rest: Partial<ChatMessage> = {}): ViewChange => ({
  kind: "message",
  offset,
  timeUs: offset,
  message: {
    id,
    role: "assistant",
    agent: "claude",
    text: id,
    source: "screen",
    isPartial: false,
    isIncomplete: false,
    offset,
    end: offset,
    timeUs: offset,
    endTimeUs: offset,
    ...rest,
  },
});

const approval = (id: string, offset: number, state: "open" | "answered"): ViewChange => ({
  kind: "approval",
  offset,
  timeUs: offset,
  approval: {
    id,
    source: "screen",
    kind: "permission",
    agent: "claude",
    question: "May I?",
    details: "",
    options: [],
    ...noSubject,
    selected: null,
    isComplete: true,
    whyHint: null,
    offset,
    timeUs: offset,
    state,
    answer: null,
  },
});

const keys = (conversation: ConversationItems): string => conversation.items.map(({ key }) => key).join(", ");

test("ConversationItems replaces what it knows under the same id, and keeps the order of the beginnings", () => {
  const conversation = new ConversationItems();
  conversation.feed([message("m1", 1), message("m3", 30), message("m2", 20)]);
  conversation.feed([message("m1", 1, { text: "longer" })]);
  assert.equal(keys(conversation), "message m1, message m2, message m3");
  const [first] = conversation.items;
  assert.ok(first?.kind === "message" && first.message.text === "longer");
});

test("ConversationItems leaves out a message that is only an event", () => {
  const conversation = new ConversationItems();
  conversation.feed([
    message("m1", 1, { text: "", rawText: "a tag" }),
    message("m2", 2, { text: "b", rawText: "b tag" }),
  ]);
  assert.equal(keys(conversation), "message m2");
});

test("ConversationItems keeps the identity of what did not change", () => {
  const conversation = new ConversationItems();
  conversation.feed([message("m1", 1), message("m2", 2)]);
  const [first, second] = conversation.items;
  conversation.feed([message("m2", 2, { text: "more" })]);
  assert.equal(conversation.items[0], first);
  assert.notEqual(conversation.items[1], second);
});

test("ConversationItems says what is new: what comes again as it was is not", () => {
  const conversation = new ConversationItems();
  assert.ok(conversation.feed([message("m1", 1), approval("a1", 2, "open")]));
  const { items } = conversation;
  assert.equal(conversation.feed([message("m1", 1), approval("a1", 2, "open")]), false);
  assert.equal(conversation.items, items);
  assert.ok(conversation.feed([approval("a1", 2, "answered")]));
});

test("ConversationItems knows what is about to be called", () => {
  const conversation = new ConversationItems();
  const intents = [{ exchange: "x1", call: "c1", tool: "Bash", sinceUs: 1, isHeld: false }];
  assert.ok(conversation.feed([{ kind: "intents", offset: 1, timeUs: 1, intents }]));
  assert.deepEqual(conversation.intents, intents);
  assert.equal(conversation.feed([{ kind: "intents", offset: 1, timeUs: 1, intents: [...intents] }]), false);
});

test("ConversationItems puts a result into the card of its call", () => {
  const conversation = new ConversationItems();
  const call = { name: "Bash", input: "ls", call: null };
  conversation.feed([message("m1", 1, { role: "tool-call", tool: call })]);
  conversation.feed([message("m2", 2, { role: "tool-result", tool: { ...call, call: "m1" } })]);
  assert.equal(keys(conversation), "message m1");
  const [item] = conversation.items;
  assert.ok(item?.kind === "tool" && item.result?.id === "m2");
});

test("ConversationItems shows a result whose call was never seen", () => {
  const conversation = new ConversationItems();
  conversation.feed([message("m2", 2, { role: "tool-result", tool: { name: "x", input: null, call: "m1" } })]);
  assert.equal(keys(conversation), "message m2");
});

test("ConversationItems shows a question once, before and after its answer", () => {
  const conversation = new ConversationItems();
  conversation.feed([message("m1", 5, { role: "approval", approval: "a1" }), approval("a1", 5, "open")]);
  assert.equal(keys(conversation), "approval a1");
  conversation.feed([approval("a1", 5, "answered")]);
  assert.equal(keys(conversation), "approval a1");
});

test("ConversationItems takes out what was withdrawn", () => {
  const conversation = new ConversationItems();
  conversation.feed([message("m1", 1), message("m2", 2, { isPartial: true })]);
  conversation.feed([message("m2", 2, { text: "" })]);
  assert.equal(keys(conversation), "message m1");
  conversation.feed([message("m3", 3, { text: "", role: "shell", shell: { command: "true", exitCode: 0 } })]);
  assert.equal(keys(conversation), "message m1, message m3", "a command that printed nothing stays");
});

test("ConversationItems finds what an address names, also inside of a card, and what was there at an offset", () => {
  const conversation = new ConversationItems();
  const call = { name: "Bash", input: "ls", call: null };
  conversation.feed([
    message("m1", 1, { role: "tool-call", tool: call }),
    message("m2", 2, { role: "tool-result", tool: { ...call, call: "m1" } }),
    message("m3", 5, { role: "approval", approval: "a:1" }),
    approval("a:1", 5, "open"),
  ]);
  const found = (anchor: string): string | undefined => conversation.named(anchor)?.key;
  assert.deepEqual(["message-m1", "message-m2", "message-m3", "approval-a-1", "message-m9"].map(found), [
    "message m1",
    "message m1",
    "approval a:1",
    "approval a:1",
    undefined,
  ]);
  assert.deepEqual(
    [0, 1, 4, 5].map((offset) => conversation.at(offset)?.key),
    [undefined, "message m1", "message m1", "approval a:1"],
  );
});
