import assert from "node:assert/strict";
import { test } from "node:test";
import { recordedSteps } from "../../../test/recordings.ts";
import { builtInAgents, builtInFiles } from "./built-in-agents.ts";
import { nativePattern } from "./pattern.ts";
import { linearPattern, registryWith } from "./user-agents.ts";

test("without files of users the built-in agents are all there is", () => {
  assert.equal(registryWith([]), builtInAgents);
});

test("a file changes one rule of a built-in agent, and the others stay", () => {
  const agents = registryWith([{ name: "codex", titles: { working: { pattern: "^\\* " } } }]);
  const said = (title: string) => agents.named("codex")?.titles.find(({ pattern }) => pattern.test(title))?.says;
  assert.deepEqual([said("* x"), said("[ ! ] x")], ["working", "blocked"]);
  assert.equal(agents.named("claude"), builtInAgents.named("claude"));
});

test("a new agent is known by its command, one that extends another has its rules", () => {
  const agents = registryWith([
    { name: "mine", commands: ["mine"] },
    { name: "wrapped", extends: "claude", commands: ["w"] },
  ]);
  assert.equal(agents.ofCommandLine("mine --x"), "mine");
  assert.equal(agents.ofProgram("/bin/w")?.boxes.length, 1);
  assert.equal(agents.ofProgram("claude")?.name, "claude");
});

test("a user's rules for any agent run on the engine that always ends, under the name of each agent", () => {
  const rows = { slow: { text: String.raw`^\x{41}(?i:b)\z`, role: "skip" as const } };
  const rules = registryWith([{ name: "generic", chat: { rows } }]).chatOf("other", "");
  assert.deepEqual([rules.name, rules.agent], ["other", "other"]);
});

const groups = (match: ReturnType<ReturnType<typeof nativePattern>["exec"]>): unknown =>
  match === null ? null : [match.index, ...Array.from({ length: 4 }, (_, group) => match[group])];

test("a match has its place and the text of its groups", () => {
  for (const compile of [linearPattern, nativePattern])
    assert.deepEqual(groups(compile("(b)(x)?").exec("ab")), [1, "b", "b", undefined, undefined]);
});

test("what cannot be matched in linear time is refused, and so is what is too long", () => {
  assert.throws(() => linearPattern("(?=a)"), /Cannot use the pattern "\(\?=a\)": .*no lookaround/);
  assert.throws(() => linearPattern("(unclosed"), /missing closing \)/);
  assert.throws(() => linearPattern("a".repeat(1001)), /1001 characters: the limit is 1000/);
});

test("a pattern that would run for ever ends", () => {
  assert.equal(linearPattern("^(a+)+$").test(`${"a".repeat(20_000)}b`), true);
});

test("a blank means the same in both engines, inside of a class and outside", () => {
  const characters = Array.from({ length: 0x3100 }, (_, code) => String.fromCodePoint(code));
  characters.push("\uFEFE", "\uFEFF", "\uFF00", "\u{1F600}");
  for (const source of ["\\s", "\\S", "[\\s]", "[\\S]", "[^\\s]", "[^\\S]", "[x\\S]", "[\\s\\S]"]) {
    const [linear, native] = [linearPattern(`^${source}$`), nativePattern(`^${source}$`)];
    const differing = characters.filter((character) => linear.test(character) !== native.test(character));
    assert.deepEqual(differing.slice(0, 5), [], source);
  }
});

/** All texts in an agent file that are patterns. */
function patternsIn(data: unknown, key = ""): string[] {
  if (typeof data === "string") return /[\\^$[(]/.test(data) && key !== "clear" ? [data] : [];
  if (typeof data !== "object" || data === null) return [];
  return Object.entries(data).flatMap(([name, value]) =>
    ["launch", "batchArguments", "packages", "as", "input", "name"].includes(name) ? [] : patternsIn(value, name),
  );
}

test("each built-in pattern means the same in both engines, on every row of recordings", () => {
  const patterns = [...new Set(builtInFiles.flatMap((file) => patternsIn(file)))];
  assert.ok(patterns.length > 250);
  const names = [
    "claude-main-80x24",
    "codex-main-80x24",
    "gemini-asks-100x30",
    "opencode-main-80x24",
    "qwen-chains-90x28",
  ];
  const rows = new Set<string>(["", "  \u00A0x", "a\u3000b", "ſ", "\uFEFF"]);
  for (const name of names)
    for (const step of recordedSteps(name))
      if (step.type === "frame") for (const { text } of step.frame.lines) rows.add(text);
  const texts = [...rows].filter((_, index) => index % 27 === 0 || index < 5);
  for (const source of patterns) {
    const [native, linear] = [nativePattern(source), linearPattern(source)];
    for (const text of texts)
      assert.deepEqual(groups(linear.exec(text)), groups(native.exec(text)), `${source} on ${text}`);
  }
});
