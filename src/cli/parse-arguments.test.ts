import assert from "node:assert/strict";
import { test } from "node:test";
import { defineCommand, type Command } from "./command.ts";
import { parseArguments } from "./parse-arguments.ts";

const sample = defineCommand({
  name: "sample",
  summary: "A sample",
  arguments: [
    { name: "session", summary: "which" },
    { name: "words", summary: "what", count: "any" },
  ],
  options: {
    all: { type: "flag", short: "a", summary: "all" },
    name: { type: "text", placeholder: "NAME", summary: "name" },
    format: { type: "text", placeholder: "FORMAT", choices: ["raw", "text"], summary: "format" },
    label: { type: "list", short: "l", placeholder: "K=V", summary: "label" },
    tail: { type: "number", short: "n", placeholder: "N", maximum: 100, summary: "tail" },
    grace: { type: "duration", placeholder: "TIME", summary: "grace" },
    size: { type: "size", placeholder: "SIZE", summary: "size" },
    room: { type: "size", placeholder: "SIZE", minimum: 1024, maximum: 4096, summary: "room" },
  },
  examples: [],
  run: () => Promise.resolve(0),
});
/** Any record, as the table holds it. */
const base: Command = sample;
const program: Command = {
  ...base,
  optionsFirst: true,
  arguments: [{ name: "words", summary: "program", count: "any" }],
};

const input = (command: Command, line: string) => {
  const parsed = parseArguments(command, line.split(" ").filter(Boolean));
  return parsed.help ? "help" : parsed.input;
};
const failure = (line: string): string => {
  try {
    input(sample, line);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
};

test("options and arguments are read in any order, each with its type", () => {
  assert.deepEqual(input(sample, "one -a --label a=1 two -lb=2 --tail=5 -n7 --grace 2s --size 1K three"), {
    options: { all: true, label: ["a=1", "b=2"], tail: 7, grace: 2000, size: 1024 },
    arguments: { session: "one", words: ["two", "three"] },
  });
});

test("what is left out is false, empty or undefined", () => {
  assert.deepEqual(input(sample, "one"), {
    options: { all: false, label: [] },
    arguments: { session: "one", words: [] },
  });
});

test("words after -- are arguments, whatever they look like", () => {
  assert.deepEqual((input(sample, "one -- -a --help") as { arguments: unknown }).arguments, {
    session: "one",
    words: ["-a", "--help"],
  });
});

test("where a program follows, options end at its first word", () => {
  const shapes = ["-a --name x ls -l --all", "-a --name x -- ls -l --all", "-a --name=x ls -l --all"];
  for (const line of shapes) {
    const { options, arguments: found } = input(program, line) as {
      options: Record<string, unknown>;
      arguments: unknown;
    };
    assert.deepEqual([options["all"], options["name"], found], [true, "x", { words: ["ls", "-l", "--all"] }], line);
  }
  assert.deepEqual((input(program, "-n 5 -al k ls -a") as { arguments: unknown }).arguments, { words: ["ls", "-a"] });
  assert.deepEqual((input(program, "-n5 ls") as { arguments: unknown }).arguments, { words: ["ls"] });
});

test("help wins over everything else", () => {
  assert.equal(input(sample, "--help --unknown"), "help");
  assert.equal(input(sample, "-h"), "help");
  assert.deepEqual((input(program, "ls --help") as { arguments: unknown }).arguments, { words: ["ls", "--help"] });
});

test("an unknown option names the nearest known one", () => {
  assert.equal(failure("one --al"), 'Unknown option "--al", did you mean "--all"?; see "lectern sample --help"');
  assert.match(failure("one -x"), /^Unknown option "-x"; see/);
  assert.match(failure("one --constructor"), /^Unknown option "--constructor"/);
});

test("a value that is missing, not wanted or wrong is said", () => {
  assert.match(failure("one --name"), /"--name" needs a value: --name NAME/);
  assert.match(failure("one --name --all"), /"--name" needs a value/);
  assert.match(failure("one --all=yes"), /"--all" takes no value/);
  assert.match(failure("one --tail=101"), /from 0 to 100, not "101"/);
  assert.match(failure("one --tail -5"), /from 0 to 100, not "-5"/);
  assert.match(failure("one --grace soon"), /must be a time/);
  assert.match(failure("one --size big"), /must be a size/);
  assert.match(failure("one --room 1"), /"--room" must be at least 1024 and at most 4096 bytes, not "1"/);
  assert.match(failure("one --format xml"), /one of raw, text, not "xml"/);
});

test("missing and surplus arguments are said", () => {
  assert.match(failure(""), /Missing argument SESSION/);
  const strict: Command = { ...base, arguments: [] };
  assert.throws(() => parseArguments(strict, ["x"]), { code: "USAGE", message: /Unexpected argument "x"/ });
  const choice: Command = { ...base, arguments: [{ name: "shell", summary: "", choices: ["bash", "zsh"] }] };
  assert.throws(() => parseArguments(choice, ["sh"]), { message: /SHELL must be one of bash, zsh, not "sh"/ });
});

test("a value of a choice without = is not taken for the program to start", () => {
  const walls = {
    type: "choice",
    placeholder: "PROFILE",
    bare: "work",
    choices: ["work", "look"],
    summary: "",
  } as const;
  const run: Command = {
    ...base,
    optionsFirst: true,
    options: { walls },
    arguments: [{ name: "command", count: "many", summary: "" }],
  };
  const message = /takes its value after "=": --walls=look; .* --walls -- look/;
  assert.throws(() => parseArguments(run, ["--walls", "look", "bash"]), { code: "USAGE", message });
  for (const words of [
    ["--walls", "--", "look"],
    ["--walls=look", "look"],
    ["--walls", "bash", "look"],
  ])
    assert.equal(parseArguments(run, words).help, false);
});
