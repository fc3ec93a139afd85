import assert from "node:assert/strict";
import { test } from "node:test";
import { sessionInputs, type sessionFlags } from "./session-flags.ts";
import type { CommandInput } from "./command.ts";
import { loadCommand } from "./commands.ts";
import type { CliContext } from "./context.ts";
import { parseArguments } from "./parse-arguments.ts";

type Flags = CommandInput<typeof sessionFlags, readonly []>["options"];

const run = await loadCommand("run");
const context = { environment: {}, workingDirectory: "/", stdout: { columns: 100 } } as unknown as CliContext;

async function inputsOf(...words: readonly string[]): ReturnType<typeof sessionInputs> {
  assert.ok(run !== undefined);
  const parsed = parseArguments(run, [...words, "--", "make", "all"]);
  assert.ok(!parsed.help);
  const isDetached = parsed.input.options["detach"] === true;
  return await sessionInputs(["make", "all"], parsed.input.options as Flags, {
    context,
    defaults: undefined,
    isDetached,
  });
}

test("one session has the name that was given, several have it with a number, each with a worktree of its own", async () => {
  const [one, ...none] = await inputsOf("--name", "try");
  assert.deepEqual([one.name, one.command, one.columns, one.rows, none], ["try", ["make", "all"], 100, undefined, []]);
  const [later] = await inputsOf("-d", "--rows", "30");
  assert.deepEqual([later.columns, later.rows], [undefined, 30], "not the size of a terminal that does not show it");
  const named = (await inputsOf("--name", "try", "--worktree", "fast", "--count", "3")).map(({ name, worktree }) => [
    name,
    worktree?.name,
    worktree?.group,
  ]);
  assert.deepEqual(named, [
    ["try-1", "fast-1", "fast"],
    ["try-2", "fast-2", "fast"],
    ["try-3", "fast-3", "fast"],
  ]);
  const nameless = await inputsOf("--worktree", "fast", "--count", "2");
  assert.deepEqual(
    nameless.map(({ name }) => name),
    [undefined, undefined],
  );
});

test("flags that exclude or need each other are refused before anything starts", async () => {
  const refused: readonly (readonly [words: string, text: RegExp])[] = [
    ["--mine --wire", /Cannot combine --mine, .* with --wire/],
    ["--policy ci", /without --wire/],
    ["--must-gate", /without --wire/],
    ["--wire --ask-once --no-ask-once", /Cannot combine --ask-once with --no-ask-once/],
    ["--count 2", /Cannot use --base, --branch or --count without --worktree NAME/],
    ["--base main", /without --worktree NAME/],
    ["--branch topic", /without --worktree NAME/],
    ["--worktree a --branch topic --count 2", /Cannot use --count with --branch/],
    ["--event-tag 1a", /Cannot use the tag name "1a"/],
    ["--on-blocked a|b", /Cannot read the command "a\|b"/],
  ];
  for (const [words, text] of refused) await assert.rejects(inputsOf(...words.split(" ")), text, words);
});

test("a command for questions has its words as a shell has them", async () => {
  const [{ eventTag, onBlocked }] = await inputsOf("--on-blocked", "notify 'a question'", "--event-tag", "step");
  assert.deepEqual(onBlocked, ["notify", "a question"]);
  assert.equal(eventTag?.name, "step");
});
