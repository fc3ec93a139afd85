import assert from "node:assert/strict";
import { test } from "node:test";
import { boxText } from "./box-text.ts";

const written = (text: string, isLiteral = false): string => boxText(text, { isLiteral });

test("what an agent would take for a command of a shell, and a slash without a name, is a text", () => {
  assert.equal(written("!ls -la"), " !ls -la");
  assert.equal(written("/ is a folder"), " / is a folder");
  assert.equal(written("what about ! and /?"), "what about ! and /?");
});

test("a command of the agent stays one, unless the prompt is literal", () => {
  for (const text of ["/clear", "/model opus", "/team:review it\n- all of it"]) {
    assert.equal(written(text), text);
    assert.equal(written(text, true), ` ${text}`);
  }
  assert.equal(written("/etc/hosts has what?", true), "/etc/hosts has what?");
});

test("a backslash at the end does not turn Enter into a line break", () => {
  assert.equal(written("one\\"), "one\\ ");
  assert.equal(written("! one\\"), " ! one\\ ");
});
