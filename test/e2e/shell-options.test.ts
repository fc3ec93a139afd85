/** Options of a shell: the marks neither end it nor are seen in what it prints, and output is whole. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openTerminal } from "../../src/terminal/open-terminal.ts";

const directory = mkdtempSync(join(tmpdir(), "lectern-options-"));
after(() => rmSync(directory, { recursive: true, force: true }));
let homes = 0;

const cases: readonly (readonly [shell: "bash" | "zsh", startup: string])[] = [
  ["bash", "set -x"],
  ["bash", "PROMPT_COMMAND=true; set -x"],
  ["bash", "set -r"],
  ["bash", "shopt -u promptvars"],
  ["bash", "bind 'set show-mode-in-prompt on'"],
  ["bash", "eval() { echo its own; }; alias eval=false"],
  ["bash", "set -o vi; bind 'set show-mode-in-prompt on'"],
  ["zsh", "setopt xtrace"],
  ["zsh", "setopt errexit"],
  ["zsh", "unsetopt promptsp"],
  ["zsh", "setopt restricted"],
];

const all = cases.flatMap(([shell, options]) => [[shell, options, "true"] as const, [shell, "", options] as const]);

for (const [shell, startup, first] of all) {
  test(`${shell} with "${startup}", then "${first}", shows no command of the marks, and output is whole`, async () => {
    const home = join(directory, String(homes++));
    mkdirSync(home);
    writeFileSync(join(home, shell === "bash" ? ".bashrc" : ".zshrc"), `${startup}\n`);
    const environment = { ...process.env, HOME: home, ZDOTDIR: undefined, HISTFILE: join(home, "history") };
    // The prompt shows the folder, and a clone may be named after the project.
    await using terminal = await openTerminal(shell, { environment, workingDirectory: home });
    await terminal.run(first);
    // Nothing ends the line of the output.
    const { output, exitCode, ended } = await terminal.run("printf 'a\\nb'");
    assert.ok(ended && terminal.isAlive());
    // Without marks the prompt may stand behind the output.
    const hasMarks = !/set -r|promptvars/.test(`${startup}${first}`);
    assert.equal(exitCode, hasMarks ? 0 : null);
    const lines = output.split("\n").filter((line) => !line.startsWith("+"));
    assert.deepEqual(hasMarks ? lines : lines.slice(0, 1), hasMarks ? ["a", "b"] : ["a"]);
    // At the first prompt `set -x` shows how the marks are set up.
    const chars = terminal.getHistory().length;
    await terminal.run("true");
    assert.doesNotMatch(terminal.getHistory().slice(chars), /lectern|restricted/);
  });
}

for (const theirs of ["", "PROMPT_COMMAND='true; true'; "])
  test(`what "set -v" of bash shows of the prompt command "${theirs}" belongs to no output`, async () => {
    const home = join(directory, String(homes++));
    mkdirSync(home);
    const environment = { ...process.env, HOME: home, HISTFILE: join(home, "history") };
    await using terminal = await openTerminal("bash", { environment, workingDirectory: home });
    await terminal.run(`${theirs}set -v`);
    for (const [command, output] of [
      ["printf 'a\\nb'", "a\nb"],
      ["echo a", "a\n"],
      ["true", ""],
    ] as const) {
      const result = await terminal.run(command);
      assert.deepEqual([result.output, result.exitCode], [output, 0]);
      assert.equal(Buffer.from(result.bytes).toString(), output.replaceAll("\n", "\r\n"));
    }
  });

const theirOwn = "eval() { echo its own; }; alias eval=false";
const typedInto = [
  ["bash", `shopt -u promptvars; ${theirOwn}`],
  ["bash", `set +o emacs; ${theirOwn}`],
  ["dash", "alias eval=false; printf() { echo its own; }"],
] as const;

for (const [shell, startup] of typedInto)
  test(`a command that is typed into ${shell} after "${startup}" is run by no eval but the shell's`, async () => {
    const home = join(directory, String(homes++));
    mkdirSync(home);
    const environment = { ...process.env, HOME: home, PS1: "$ ", HISTFILE: join(home, "history") };
    await using terminal = await openTerminal(shell, { environment, workingDirectory: home });
    await terminal.run(startup);
    for (const text of ["again!!", "a\tb", "c\n^d"]) {
      const { output, ran } = await terminal.run(`echo '${text}'`);
      assert.deepEqual([ran, output], [true, `${text}\n`]);
    }
  });
