/** Hosts that log commands make prompt commands and prompts readonly: the shell lives and prints no error, with marks or without. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openTerminal } from "../../src/terminal/open-terminal.ts";

const directory = mkdtempSync(join(tmpdir(), "lectern-readonly-"));
after(() => rmSync(directory, { recursive: true, force: true }));
let homes = 0;

/** Runs three commands, and returns what was seen. */
async function commandsIn(shell: "bash" | "zsh", startup: string, between = "true"): Promise<string[]> {
  const home = join(directory, String(homes++));
  mkdirSync(home);
  writeFileSync(join(home, shell === "bash" ? ".bashrc" : ".zshrc"), startup);
  const environment = { ...process.env, HOME: home, ZDOTDIR: undefined, HISTFILE: join(home, "history") };
  await using terminal = await openTerminal(shell, { environment });
  const one = await terminal.run("echo one; (exit 3)");
  await terminal.run(between);
  const two = await terminal.run("echo two");
  const three = await terminal.run("printf '%s' 'a!b'; echo");
  assert.ok(one.exitCode === 3 || one.exitCode === null, String(one.exitCode));
  assert.deepEqual([one.output, two.output, three.output], ["one\n", "two\n", "a!b\n"], terminal.getHistory());
  assert.ok(terminal.isAlive());
  assert.doesNotMatch(terminal.getHistory(), /readonly variable|read-only variable|unbound|not set|bad substitution/);
  return [one, two, three].map(({ exitCode }) => String(exitCode));
}

const fixed: Readonly<Record<"bash" | "zsh", readonly string[]>> = {
  bash: [
    'PROMPT_COMMAND="history -a"; readonly PROMPT_COMMAND',
    "readonly PROMPT_COMMAND",
    "PROMPT_COMMAND=(); readonly PROMPT_COMMAND",
    "unset PROMPT_COMMAND; readonly PROMPT_COMMAND",
    "PROMPT_COMMAND=(); unset PS1; readonly PROMPT_COMMAND PS1 PS2",
    'PROMPT_COMMAND=("history -a" true); readonly PROMPT_COMMAND',
    "readonly PS1='fixed> '",
    "readonly PS2='more> '",
    "readonly PS0=''",
    "readonly PS0",
    "PROMPT_COMMAND=true; readonly PS1='fixed> ' PS0",
    "set -u; readonly PROMPT_COMMAND=true PS0 PS1='fixed> ' PS2",
  ],
  zsh: [
    "PS1='fixed> '; readonly PS1",
    "PROMPT='fixed> '; readonly PROMPT",
    "readonly PS2='more> '",
    "readonly PROMPT_EOL_MARK=''",
    "theirs() { true }; precmd_functions=(theirs); readonly precmd_functions",
    "readonly precmd_functions",
    "readonly preexec_functions",
    "preexec_functions=(); readonly preexec_functions",
    "setopt nounset; readonly PS2='more> ' PS1='fixed> '",
  ],
};

for (const shell of ["bash", "zsh"] as const) {
  for (const startup of fixed[shell]) {
    test(`${shell} lives with "${startup}" in its start-up file`, async () => {
      await commandsIn(shell, startup);
    });
  }
}

for (const [shell, command] of [
  ["bash", "readonly PROMPT_COMMAND"],
  ["bash", "readonly PS0 PS1 PS2"],
  ["bash", "readonly PROMPT_COMMAND PS0 PS1 PS2"],
  ["zsh", "readonly PS1 PS2 PROMPT_EOL_MARK precmd_functions preexec_functions"],
] as const) {
  test(`${shell} goes on to report exit codes after "${command}", which changes nothing`, async () => {
    assert.deepEqual(await commandsIn(shell, "", command), ["3", "0", "0"]);
  });
}

for (const [shell, command] of [
  ["bash", "readonly PROMPT_COMMAND=true"],
  ["bash", "PROMPT_COMMAND=(); readonly PROMPT_COMMAND"],
  ["bash", "readonly PS1='fixed> '"],
  ["bash", "readonly PS2='more> '; PS1='new> '"],
  ["bash", "readonly PROMPT_COMMAND; PS1='new> '"],
  ["zsh", "PS1='fixed> '; readonly PS1"],
  ["zsh", "precmd_functions=(); readonly precmd_functions"],
] as const) {
  test(`${shell} lives with "${command}" in a running session`, async () => {
    await commandsIn(shell, "", command);
  });
}
