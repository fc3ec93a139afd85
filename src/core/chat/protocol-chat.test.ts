import assert from "node:assert/strict";
import { test } from "node:test";
import type { DriverEvent, DriverTool } from "../acp/acp-fold.ts";
import { MessageLog } from "./message-log.ts";
import { ProtocolChat } from "./protocol-chat.ts";

const place = { offset: 1, timeUs: 10 };
const said = (message: string, text: string): DriverEvent => ({ type: "text", message, role: "assistant", text });
const tool = (state: string, output = ""): DriverEvent => {
  const known: DriverTool = { call: "c", name: "bash", kind: "execute", title: "ls", input: "{}", state, output };
  return { type: "tool", tool: known };
};

/** The messages as they are in the end; each event comes alone, from a reader that was saved before it. */
function read(events: readonly DriverEvent[]): string[] {
  const log = new MessageLog();
  let chat = new ProtocolChat(log);
  const last = new Map<string, string>();
  for (const event of events) {
    chat.step([event], null, place);
    for (const { id, isPartial, role, source, text, tool: used } of log.take())
      last.set(
        id,
        [role, source, used?.name ?? "", text, isPartial ? "..." : ""].filter((part) => part !== "").join(" "),
      );
    chat = new ProtocolChat(log, JSON.parse(JSON.stringify(chat.save())) as ReturnType<ProtocolChat["save"]>);
  }
  return [...last.values()];
}

test("a turn is the prompt, the messages as they grow, and each call with its result", () => {
  const turn: DriverEvent[] = [{ type: "turn-start", turn: "1", prompt: "list" }, said("1", "I "), said("1", "will")];
  assert.deepEqual(read(turn), ["user protocol list", "assistant protocol I will ..."]);
  const all = [...turn, tool("pending"), tool("in_progress"), tool("completed", "a\nb"), said("2", "done")];
  assert.deepEqual(read([...all, { type: "turn-end", turn: "1", stop: "end_turn", message: null }]), [
    "user protocol list",
    "assistant protocol I will",
    "tool-call protocol bash ls",
    "tool-result protocol bash a\nb",
    "assistant protocol done",
  ]);
});

test("a failed turn is an error, and thoughts are no messages", () => {
  const thought: DriverEvent = { type: "text", message: "1", role: "thought", text: "hm" };
  const failed: DriverEvent = { type: "turn-end", turn: "1", stop: "error", message: "overloaded" };
  assert.deepEqual(read([thought, failed]), ["error protocol overloaded"]);
});
