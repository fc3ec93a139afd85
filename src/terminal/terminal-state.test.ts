import assert from "node:assert/strict";
import { test } from "node:test";
import { TerminalState, TextTail } from "./terminal-state.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const opened = (): TerminalState => new TerminalState({ nonce: null, history: new TextTail(1000) });
const MARK = "\u001b]133;D;0;n=AbCdEfGhIjKl\u0007";

test("what is taken in parts shows nothing of a mark, wherever the parts are cut", () => {
  const text = `one\r\n${MARK}$ ls`;
  for (let first = 1; first < text.length; first += 1) {
    for (const second of [1, 3, 10]) {
      const state = opened();
      state.output(bytes(text));
      const texts = [first, second, 1000].map((bytesMax) => state.take(bytesMax).text);
      assert.doesNotMatch(texts.join(""), /133|n=|[A-Z]/, JSON.stringify({ first, second, texts }));
      assert.match(texts.join(""), /s$/);
    }
  }
});

test("a program that asks where the cursor is awaits the terminal's reply, wherever the question is cut", () => {
  const state = opened();
  state.output(bytes("=> 1\r\n\u001b["));
  assert.equal(state.awaitsReply, false);
  state.output(bytes("6n"));
  assert.equal(state.awaitsReply, true);
  state.replied();
  assert.equal(state.awaitsReply, false);
  state.output(bytes("\u001b[6m\u001b[?25h 6n"));
  assert.equal(state.awaitsReply, false);
});

test("behind missing output the rest of a mark is not read as text", () => {
  for (let cut = 1; cut < MARK.length; cut += 1) {
    const state = opened();
    state.output(bytes(`one\r\n${MARK.slice(0, cut)}`));
    state.gap();
    state.output(bytes(`${MARK.slice(cut)}$ ls`));
    assert.equal(state.take().text, "one\n$ ls");
    assert.equal(state.history, "one\n$ ls");
  }
});

test("the last line of a history is known without the rest of it", () => {
  const history = new TextTail(1_000_000);
  assert.equal(history.lastLine, "");
  history.append("one\ntwo\n");
  assert.equal(history.lastLine, "two");
  history.append(`${"x".repeat(100_000)}\nlast\n`);
  assert.equal(history.lastLine, "last");
  history.append("\n");
  assert.equal(history.lastLine, "");
  history.append("open");
  assert.equal(history.lastLine, "");
});
