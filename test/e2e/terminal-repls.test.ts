/** `Terminal` drives shells and REPLs: 50 commands each, outputs and boundaries exact, and each wait ends for the reason that it should. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReadyReason } from "../../src/core/readiness/readiness.ts";
import { Home, type Command } from "../terminal-support.ts";
import { roundsOf } from "../support/variants.ts";

interface Repl {
  readonly command: Command;
  readonly files?: Readonly<Record<string, string>>;
  readonly reason: ReadyReason;
  readonly warmUp?: string;
  /** A command and its exact output, for each number. */
  readonly trip: (index: number) => readonly [command: string, output: string, exitCode?: number];
}

const TRIPS = roundsOf(12, 50);
const lines = (count: number): string => Array.from({ length: count }, (_, index) => `${index + 1}\n`).join("");

/** Kinds of commands in turn: a word, no newline at the end, nothing, many lines, several lines, an exit code, a forged mark, text that looks like a prompt. */
function shellTrip(index: number): readonly [string, string, number] {
  const kinds: readonly (readonly [string, string, number])[] = [
    [`echo hello ${index}`, `hello ${index}\n`, 0],
    [`printf 'no end ${index}'`, `no end ${index}`, 0],
    ["true", "", 0],
    [`seq 1 ${index * 20}`, lines(index * 20), 0],
    [`echo a${index}\necho b${index}`, `a${index}\nb${index}\n`, 0],
    [`sh -c 'exit ${index}'`, "", index],
    ["printf '\\033]133;D;0\\007forged\\n'", "forged\n", 0],
    ["printf 'user@host:~$ \\n'", "user@host:~$ \n", 0],
    [`echo ${"x".repeat(3000)}`, `${"x".repeat(3000)}\n`, 0],
    ["ls /nowhere-at-all 2>/dev/null || sh -c 'exit 9'", "", 9],
  ];
  return kinds[index % kinds.length]!;
}

const colored = String.raw`PS1='\[\e[1;32m\]\u@\h\[\e[0m\]:\[\e[34m\]\w\[\e[0m\]\$ '`;
const twoLines = String.raw`PS1='\n\[\e[36m\]\w\[\e[0m\] (main)\n> '; PROMPT_COMMAND='printf "\e]0;title\a"; echo -n "#"'`;

const repls: Readonly<Record<string, Repl>> = {
  bash: { command: ["bash", "--norc", "--noprofile"], reason: "mark", trip: shellTrip },
  "bash with a coloured prompt": { command: "bash", files: { ".bashrc": colored }, reason: "mark", trip: shellTrip },
  "bash with a prompt of two lines and a prompt command that prints": {
    command: "bash",
    files: { ".bashrc": twoLines },
    reason: "mark",
    warmUp: "true",
    trip: shellTrip,
  },
  zsh: { command: "zsh", files: { ".zshrc": "PS1='%B%~%b %# '\nRPS1='%T'\n" }, reason: "mark", trip: shellTrip },
  fish: {
    command: "fish",
    reason: "mark",
    // fish checks each word of a command against the disk while it is typed; a long one takes it long.
    trip: (index) => (index % 10 === 8 ? [`echo ${index}`, `${index}\n`, 0] : shellTrip(index)),
  },
  python3: {
    command: ["/usr/bin/python3", "-q"],
    reason: "foreground",
    trip: (index) => [`print(${index} * 7, "a" * ${index * 10})`, `${index * 7} ${"a".repeat(index * 10)}\n`],
  },
  node: {
    command: [process.execPath, "-i"],
    reason: "foreground",
    trip: (index) => [`"n" + ${index} * 7`, `'n${index * 7}'\n`],
  },
  sqlite3: {
    command: "sqlite3",
    reason: "foreground",
    trip: (index) => [`select ${index} * 7, 'it';`, `${index * 7}|it\n`],
  },
  gdb: {
    command: ["gdb", "-q", "-nx"],
    reason: "foreground",
    trip: (index) => [`print ${index} * 7`, `$${index + 1} = ${index * 7}\n`],
  },
};

for (const [name, { command, files = {}, reason, trip, warmUp = "" }] of Object.entries(repls)) {
  test(`Terminal runs ${TRIPS} commands in ${name}, each with exactly its output`, async () => {
    using home = new Home(files);
    await using terminal = await home.open(command);
    // A start-up file that replaces PROMPT_COMMAND is overruled from the first command on.
    if (warmUp === "") assert.equal((await terminal.readUntilReady()).reason, reason);
    else await terminal.run(warmUp);
    for (let index = 0; index < TRIPS; index++) {
      const [typed, output, exitCode] = trip(index);
      const result = await terminal.run(typed);
      assert.equal(result.output, output, typed);
      assert.equal(result.reason, reason, typed);
      assert.equal(result.exitCode, exitCode ?? null, typed);
      assert.equal(result.ended, true);
    }
    assert.equal(terminal.readAvailable(), "");
  });
}

test("the prompt is no output either where a REPL has timers and only quiet tells that it is ready", async () => {
  using home = new Home();
  await using terminal = await home.open([process.execPath, "-i"]);
  await terminal.readUntilReady();
  await terminal.run("const timer = setInterval(() => {}, 300)");
  for (let index = 0; index < 3; index++) {
    const { output, reason } = await terminal.run(`"n" + ${index}`);
    assert.deepEqual([output, reason], [`'n${index}'\n`, "quiet"]);
  }
});
