/**
 * Real bash as the judge of the shell reader: each command that bash tries to run must have been seen. PATH is empty, so
 * nothing runs but builtins; a handler for unknown commands writes down what would have been run.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { analyzeShell } from "../src/core/gate/shell.ts";
import type { ShellAction } from "../src/core/gate/shell-actions.ts";

const folder = mkdtempSync(join(tmpdir(), "lectern-shell-"));
const workingDirectory = join(folder, "work");
mkdirSync(workingDirectory);
let runs = 0;
after(() => rmSync(folder, { recursive: true, force: true }));

/** A file for each command: bash writes what is printed at each line feed, so in one file two that run side by side would mix. */
const handler =
  'command_not_found_handle() { printf "%s\\0" "$#" "$@" >"$LECTERN_LOG/$BASHPID-$SRANDOM"; }; export -f command_not_found_handle;';

/** The words of each command that bash wanted to run. */
function wanted(script: string): readonly (readonly string[])[] {
  // Each run has its own log: a background job of the one before may still write. It lies
  // outside of the working directory, so that `*` stays short.
  const log = join(folder, `log-${(runs += 1)}`);
  mkdirSync(log);
  // A function that calls itself, as `f() { ls || f() { ls; }; f; }` does, would do so for ever.
  const bash = spawnSync(
    "/bin/bash",
    ["--noprofile", "--norc", "-c", `${handler} FUNCNEST=20; eval "$1"; wait`, "bash", script],
    {
      cwd: workingDirectory,
      env: { PATH: "/nonexistent", LECTERN_LOG: log },
      input: "",
      timeout: 60_000,
      encoding: "utf8",
    },
  );
  assert.equal(bash.error, undefined, script);
  return readdirSync(log).flatMap((name) => {
    const [count = "", ...words] = readFileSync(join(log, name), "utf8").split("\0");
    // What a background job has not written whole is as if it came later.
    return words.length - 1 === Number(count) && count !== "" ? [words.slice(0, -1)] : [];
  });
}

/** May the action have become these words? A computed word may become any number of words. */
function accounts(action: ShellAction, words: readonly string[]): boolean {
  if (action.type !== "command") return false;
  const computed = action.words.some((word) => word.value === undefined);
  if (!computed)
    return action.words.length === words.length && action.words.every((word, at) => word.value === words[at]);
  return action.words[0]?.value === undefined || action.words[0].value === words[0];
}

const pick = (...texts: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...texts);
/** None that reads its own words as commands, such as git: this test is about the shell. */
const names = pick("rm", "ls", "mv", "cp");
const quoted = (word: string): readonly string[] => [
  word,
  `'${word}'`,
  `"${word}"`,
  `\\${word}`,
  `${word.slice(0, 1)}''${word.slice(1)}`,
  `${word.slice(0, 1)}\\${word.slice(1)}`,
  `"${word.slice(0, 1)}"${word.slice(1)}`,
  `$'\\x${word.charCodeAt(0).toString(16)}${word.slice(1)}'`,
  `$'${word.slice(0, -1)}\\${word.charCodeAt(word.length - 1).toString(8)}'`,
  `${word.slice(0, 1)}\\\n${word.slice(1)}`,
  `$"${word}"`,
];
const name = names.chain((word) => pick(...quoted(word)));

const grammar = fc.letrec<Record<"script" | "command" | "word" | "simple", string>>((tie) => ({
  word: fc.oneof(
    { maxDepth: 3 },
    pick(
      "-rf",
      "x",
      "'a b'",
      '"c d"',
      "~",
      "*",
      "a*b",
      "$HOME",
      '"$HOME"',
      "{a,b}",
      "-",
      "--",
      "\\;",
      "'#'",
      "#c",
      "$'\\n'",
      "''",
      "=",
      "[",
      "a=b",
      "!",
      "\\$(rm)".replace("(", "\\(").replace(")", "\\)"),
      "'$(rm)'",
      "${x:-y}",
      "$((1+2))",
    ),
    name,
    tie("script").map((script) => `$(${script}\n)`),
    tie("script").map((script) => `"$(${script}\n)"`),
    tie("simple").map((command) => `<(${command})`),
    tie("simple")
      .filter((command) => !/[`\\]/.test(command))
      .map((command) => `\`${command}\``),
    tie("simple")
      .filter((command) => !/["'`\\}]/.test(command))
      .map((command) => `\${x:-$(${command})}`),
    tie("simple").map((command) => `$((1+$(${command}\n)0))`),
  ),
  simple: fc
    .tuple(
      pick("", "", "", "a=1 ", "<f1 ", "2>&1 ", ">f2 "),
      name,
      fc.array(tie("word"), { maxLength: 3 }),
      fc.oneof(
        { weight: 40, arbitrary: pick("", "", "", " >f1", " 2>/dev/null", " <<<x", " &>f1", " >&f1", " 2>&'$(rm)'") },
        { weight: 1, arbitrary: pick(" >&'$(rm)'", ' 1>& "\\$(rm)"') },
      ),
    )
    .map(([before, command, words, last]) => `${before}${[command, ...words].join(" ")}${last}`),
  command: fc.oneof(
    { maxDepth: 3 },
    tie("simple"),
    tie("simple"),
    fc
      .tuple(tie("simple"), pick(" && ", " || ", "; ", " | ", " |& ", " & ", "\n", ";\n"), tie("command"))
      .map((parts) => parts.join("")),
    tie("script").map((script) => `( ${script}\n)`),
    tie("script").map((script) => `{ ${script}\n}`),
    tie("script").map((script) => `if ${script}\nthen ${script}\nelse ls\nfi`),
    fc.tuple(tie("word"), tie("script")).map(([word, script]) => `for v in ${word}; do ${script}\ndone`),
    fc.tuple(tie("word"), tie("script")).map(([word, script]) => `case ${word} in *) ${script}\n;; esac`),
    tie("script").map((script) => `f() { ${script}\n}; f`),
    tie("simple").map((command) => `while ${command} && false; do rm; done`),
    fc.tuple(tie("simple"), tie("simple")).map(([command, inner]) => `${command} <<EOF\n$(${inner}\n)\nEOF`),
    fc.tuple(tie("simple"), tie("simple")).map(([command, inner]) => `${command} <<'EOF'\n$(${inner})\nEOF`),
    tie("simple")
      .filter((command) => !command.includes("'"))
      .map((command) => `eval '${command}'`),
    tie("simple").map((command) => `command ${command.replace(/^(?:a=1|<f1|2>&1|>f2) /, "")}`),
    tie("simple").map((command) => `! ${command}`),
    tie("simple").map((command) => `[[ -n $(${command}\n) ]]`),
    tie("simple").map((command) => `${command} # rm nothing`),
  ),
  script: tie("command"),
}));

test("each command that bash tries to run was seen, or the text is opaque", () => {
  let readable = 0;
  let commands = 0;
  const numRuns = Number(process.env["LECTERN_ORACLE_RUNS"] ?? 120);
  fc.assert(
    fc.property(grammar.script, (script) => {
      const { actions } = analyzeShell(script);
      const run = wanted(script);
      commands += run.length;
      if (actions.some((action) => action.type === "opaque")) return;
      readable += 1;
      for (const words of run) {
        assert.ok(
          actions.some((action) => accounts(action, words)),
          `bash runs ${JSON.stringify(words)} in ${JSON.stringify(script)}`,
        );
      }
    }),
    { numRuns },
  );
  assert.ok(readable > numRuns / 2 && commands > numRuns, `${readable} of ${numRuns} readable, ${commands} commands`);
});
