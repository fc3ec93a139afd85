import assert from "node:assert/strict";
import { test } from "node:test";
import { compileAgent, lazyAgent } from "./compile.ts";
import { nativePattern } from "./pattern.ts";

const agentOf = (data: object) => compileAgent({ name: "mine", ...data }, { compile: nativePattern });

test("a name is enough for an agent", () => {
  const { name, title, version, basis, boxes, chat, launch } = agentOf({});
  assert.deepEqual([name, title, version, basis, boxes, chat, launch], ["mine", "mine", 1, "public", [], null, null]);
});

test("an edge may have a pattern that it must not fit", () => {
  const [box] = agentOf({
    boxes: { main: { prompt: { text: "^›", not: "^› \\d" }, bottom: "^$", rowsMax: 1, rowsBelowMax: 1 } },
  }).boxes;
  assert.deepEqual(
    ["› a", "› 1", "a"].map((text) => box?.prompt?.test(text)),
    [true, false, false],
  );
});

test("keys that empty the box are named", () => {
  assert.equal(agentOf({ draft: { mark: "^> ", clear: ["C-e", "C-u"] } }).draft?.clear, "\u0005\u0015");
});

test("a variant has rules and a name of its own", () => {
  const { variants } = agentOf({ variants: { mini: { command: "--mini", chat: { margin: 3 } } } });
  assert.deepEqual(
    variants.map(({ chat }) => [chat.name, chat.agent, chat.margin]),
    [["mine-mini", "mine", 3]],
  );
});

test("a part that nobody used is not compiled, and one that is wrong shows where it is used", () => {
  const data = { name: "mine", draft: { mark: "(" }, titles: { busy: { pattern: "^busy" } } };
  const agent = lazyAgent(data, { compile: nativePattern });
  assert.equal(agent.titles, agent.titles);
  assert.equal(agent.titles[0]?.name, "busy");
  assert.throws(() => agent.draft, SyntaxError);
  assert.throws(() => compileAgent(data, { compile: nativePattern }), SyntaxError);
});
