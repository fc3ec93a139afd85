import assert from "node:assert/strict";
import { test } from "node:test";
import { boxText, ownMeaning } from "./box-text.ts";

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

test("an agent that removes the blank in front does something of its own with such a text", () => {
  const own = (text: string, trims: string, isLiteral = false): string | null => ownMeaning(text, { isLiteral, trims });
  assert.deepEqual([own("!ls", "!"), own(" !ls", "!"), own("!ls", "/"), own("!ls", "")], ["!", "!", null, null]);
  assert.deepEqual([own("/ is a folder", "/"), own("/clear", "/"), own("/clear", "/", true)], ["/", null, "/"]);
  // Not a command: somebody has written a blank in front of it.
  assert.equal(own(" /clear", "/"), "/");
  assert.deepEqual([own("/etc/hosts", "/", true), own("what about ! and /?", "!/"), own("", "!/")], [null, null, null]);
});
