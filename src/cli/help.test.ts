import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { features } from "../features/features.ts";
import { errorTable } from "../core/errors.ts";
import { ASKS_EXIT_CODE, TIMED_OUT_EXIT_CODE } from "./command.ts";
import { operationNames, operations, type Operation } from "../protocol/operations.ts";
import { aliases, aliasesOf } from "./aliases.ts";
import { commandNames, groupNames, loadAll, loadCommand, loadGroups } from "./commands.ts";
import { allHelp, commandHelp, exitCodes, mainHelp, usageLine } from "./help.ts";
import { parseArguments } from "./parse-arguments.ts";

const commands = await loadAll();
const groups = await loadGroups();

test("the names of the table are those of the records, and aliases name one of them", async () => {
  assert.deepEqual(
    commands.map((command) => command.name),
    commandNames,
  );
  for (const [alias, name] of Object.entries(aliases)) {
    assert.ok(commandNames.includes(name) && !commandNames.includes(alias), alias);
  }
  assert.equal((await loadCommand("ps"))?.name, "ls");
  assert.equal(loadCommand("constructor"), undefined);
});

test("each command has a help of lines that fit and an example that its own record accepts", () => {
  for (const command of commands) {
    const help = commandHelp(command);
    for (const line of help.split("\n")) assert.ok(line.length <= 120, `${command.name}: ${line}`);
    assert.ok(command.examples.length > 0, command.name);
    for (const example of command.examples) {
      // What a shell would do: what follows a pipe or a redirection is not ours.
      const line = example.split(/ [|<>] /).find((part) => part.startsWith("lectern ")) ?? "";
      const words = line.match(/'[^']*'|[^ ]+/g) ?? [];
      assert.deepEqual(words.slice(0, 2), ["lectern", command.name], example);
      assert.equal(parseArguments(command, words.slice(2)).help, false, example);
    }
  }
});

test("no command gives one short letter to two options, and -h is left to the help", () => {
  for (const { name, options } of commands) {
    const letters = Object.values(options).flatMap(({ short }) => (short === undefined ? [] : [short]));
    assert.equal(new Set(letters).size, letters.length, name);
    assert.ok(!letters.includes("h") && !("help" in options), name);
  }
});

test("only the last argument may be repeated", () => {
  for (const { name, arguments: specs } of commands) {
    const repeated = specs.slice(0, -1).filter(({ count }) => count === "many" || count === "any");
    assert.deepEqual(repeated, [], name);
  }
});

test("the usage line shows what must be given", () => {
  const lines = commands.map(usageLine);
  assert.ok(lines.includes("lectern logs [options] SESSION"), lines.join("\n"));
  assert.ok(lines.includes("lectern run [options] COMMAND..."), lines.join("\n"));
});

test("the main help is one screen with the name of each command in its group; all with their summaries are another", () => {
  const help = mainHelp(groupNames());
  const [, names = ""] = /^Commands:\n([^]*?)\n\n/m.exec(help) ?? [];
  const listed = names.split(/\s+/).filter((word) => word !== "" && !word.endsWith(":"));
  assert.deepEqual(listed, commandNames);
  assert.ok(help.split("\n").length <= 40, help);
  const all = allHelp(groups);
  for (const { name, summary } of commands) assert.match(all, new RegExp(`^  ${name} +${summary}$`, "m"));
  const wide = `${help}${all}`.split("\n").filter((line) => line.length > 80);
  assert.deepEqual(wide, []);
  const titles = [...all.matchAll(/^([A-Z][\w ]+):$/gm)].map((match) => match[1]);
  const expected = ["Start", "Watch", "Type", "Agents", "Records", "Policy", "Administration", "Exit codes"];
  assert.deepEqual(titles, expected);
});

test("the help lists each exit code of an error, of a timeout and of a question", () => {
  const used = [0, ...Object.values(errorTable).map(({ exitCode }) => exitCode), TIMED_OUT_EXIT_CODE, ASKS_EXIT_CODE];
  const listed = exitCodes.map(([code]) => Number(code));
  assert.deepEqual(
    listed,
    [...new Set(used)].toSorted((one, other) => one - other),
  );
});

test("each command belongs to exactly one group", () => {
  const grouped = groups.flatMap((group) => group.commands.map(({ name }) => name));
  const files = globSync(join(import.meta.dirname, "commands/*.ts"))
    .filter((file) => !file.endsWith(".test.ts"))
    .map((file) => basename(file, ".ts"));
  const ofFeatures = features.flatMap((feature) => Object.values(feature.commands ?? {}).flatMap(Object.keys));
  assert.deepEqual(grouped.toSorted(), [...files, ...ofFeatures].toSorted());
  assert.deepEqual(grouped, commandNames);
});

/** Commands that have no word in common with an operation that they give to a user, each with its reason. */
const otherWords: Readonly<Record<string, string>> = {
  "daemon.stop down": "who stops a session in another tool must not stop the daemon",
  "machines.list hosts": "the code's word for what ssh calls a host",
  "sessions.get info": "shows a session as it shows the daemon",
  "sessions.update rename": "one operation changes name and labels",
  "sessions.update label": "one operation changes name and labels",
  "sessions.abort exec": "what Ctrl-C does",
  "sessions.records logs": "the output as records, --json",
  "sessions.output logs": "the output as bytes, --raw",
  "sessions.resumable resume": "the list of what the command could do",
};

test("an operation and its command have the same word", () => {
  const pairs = operationNames.flatMap((name) =>
    ((operations[name] as Operation).cli ?? []).map((each) => [name, each]),
  );
  const different = pairs.filter(([name = "", commandName = ""]) => {
    const command = commands.find((each) => each.name === commandName);
    assert.ok(command, `${name}: there is no command "${commandName}"`);
    const [group = "", word = ""] = name.split(".");
    const own = [command.name, ...aliasesOf(command.name), ...Object.keys(command.options)];
    return !own.some((each) => each === word || each === group || `${each}s` === group);
  });
  assert.deepEqual(
    different.map((pair) => pair.join(" ")),
    Object.keys(otherWords),
  );
});
