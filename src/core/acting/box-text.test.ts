import assert from "node:assert/strict";
import { test } from "node:test";
import { boxText, promptText, whyNoPrompt } from "./box-text.ts";

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
  const own = (text: string, trims: string, isLiteral = false): string | undefined =>
    /"(.)"/.exec(whyNoPrompt(text, { agent: "pi", isLiteral, rules: { trims, changes: null } }) ?? "")?.[1];
  assert.deepEqual(
    [own("!ls", "!"), own(" !ls", "!"), own("!ls", "/"), own("!ls", "")],
    ["!", "!", undefined, undefined],
  );
  assert.deepEqual([own("/ is a folder", "/"), own("/clear", "/"), own("/clear", "/", true)], ["/", undefined, "/"]);
  // Not a command: somebody has written a blank in front of it.
  assert.equal(own(" /clear", "/"), "/");
  const others = [own("/etc/hosts", "/", true), own("what about ! and /?", "!/"), own("", "!/")];
  assert.deepEqual(others, [undefined, undefined, undefined]);
});

test("a character that the agent changes is named with its place", () => {
  const rules = { trims: "", changes: String.raw`[\t\p{Cf}]` };
  const why = (text: string): string | null => whyNoPrompt(text, { agent: "claude", isLiteral: false, rules });
  assert.match(
    why("a\tb") ?? "",
    /^claude drops or changes the character U\+0009 at position 1; write the text without it$/,
  );
  assert.match(why("rm \u202Etxt.exe") ?? "", /U\+202E at position 3/);
  assert.match(why("\u{E0041}") ?? "", /U\+E0041 at position 0/);
  assert.equal(why("two\nlines, and é 👍"), null);
  const joined = ["👩\u200D👩\u200D👧", "🏴\u{E0067}\u{E0062}\u{E007F}", "1\uFE0F\u20E3", "می\u200Cخ", "क्\u200Dष"];
  for (const text of joined) assert.equal(why(text), null, text);
  assert.match(why("a\u200Db") ?? "", /U\+200D at position 1/);
  assert.match(why("👍\t\u200Db") ?? "", /U\+0009 at position 2/);
});

test("a prompt has tabs and line ends, and no character that acts as a key", () => {
  assert.equal(promptText("one\r\n\ttwo\rthree"), "one\n\ttwo\nthree");
  for (const character of ["\u0003", "\u001B", "\u0000", "\u007F", "\u0085", "\u009B"])
    assert.throws(() => promptText(`ab${character}c`), { code: "INVALID_INPUT", message: /U\+00.. at position 2/ });
});
