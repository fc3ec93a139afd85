/** The house rules that neither the compiler nor the linter can hold. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { files, implementations, isPure, read, root, sources } from "./source-files.ts";

/** Files over the limits of the linter or beside its rules, each with its reason. */
const withoutOwnTest: ReadonlySet<string> = new Set([
  "src/core/globals.d.ts", // declarations only
  "src/core/errors.ts", // a class without behaviour, and a table, which src/protocol/errors.test.ts holds
  "src/core/views/checkpoint-version.ts", // a number only
  "src/protocol/records.ts", // types only
  "src/core/gate/shell-places.ts", // types only
  "src/core/gate/shell-analysis.ts", // a type and its empty value
  "src/core/gate/opaque-reasons.ts", // a table, which explain.test.ts holds
  "src/core/status/status.ts", // types and their names only
  "src/core/chat/message.ts", // types and their names only
  "src/core/transcripts/record-entry.ts", // types only
  "src/core/dialogs/approval.ts", // types and their names only
  // schemas only, which operations.test.ts and every call hold
  "src/protocol/operations/define.ts",
  "src/protocol/operations/administration.ts",
  "src/features/cluster/protocol/cluster-operations.ts",
  "src/protocol/operations/lifecycle.ts",
  "src/protocol/operations/files.ts",
  "src/features/tasks/protocol/task-operations.ts",
  "src/protocol/operations/typing.ts",
  "src/protocol/operations/reading.ts",
  "src/protocol/operations/viewing.ts",
  "src/protocol/operations/deciding.ts",
  "src/features/usage/protocol/usage-operations.ts",
  "src/features/resume/protocol/resume-operations.ts",
  "src/features/notify/protocol/notify-operations.ts",
  "src/features/notify/protocol/push-operations.ts",
  "src/protocol/session.ts",
  "src/protocol/endpoints.ts", // written by a script, and held to the table by the compiler
  "src/core/views/change.ts", // types and their names only
  "src/core/vt/control-bytes.ts", // constants
  "src/core/waits.ts", // constants
  "src/core/screen/times.ts", // constants
  "src/core/emulator/emulator.ts", // types only
  "src/core/status/times.ts", // constants
  "src/core/observe/step.ts", // types only
  "src/core/observe/observation.ts", // types only
  "src/core/agents/agent.ts", // types only
  "src/core/agents/built-in-data.ts", // written by a script
  "src/core/gate/programs-data.ts", // written by a script
  "src/core/gate/path-lists-data.ts", // written by a script
  "src/core/sandbox/executed-later-data.ts", // written by a script
]);

test("each folder of the spine has a page: what it is, its laws and its tests", () => {
  for (const folder of ["pty", "host", "journal", "live"]) {
    const headings = read(`src/${folder}/README.md`).match(/^#+ .+$/gm);
    assert.deepEqual(headings, [`# ${folder}`, "## Laws", "## Tests"]);
  }
});

test("the public files in src/ only re-export", () => {
  const wrong = files("src/*.ts").filter((file) =>
    read(file)
      .replaceAll(/\/\*[\s\S]*?\*\//g, "")
      .replaceAll(/export (?:type )?\{[^}]*\} from "[^"]+";/g, "")
      .replaceAll(/\/\/.*$/gm, "")
      .trim(),
  );
  assert.deepEqual(wrong, []);
});

test("no folder has a barrel", () => {
  assert.deepEqual(files("src/*/**/index.{ts,tsx}"), []);
});

test("each file of core and protocol has its test beside it", () => {
  const missing = implementations.filter(
    (file) =>
      isPure(file) &&
      !withoutOwnTest.has(file) &&
      // Tables only, which the tests of src/core/config hold.
      !/^src\/core\/config\/sections\/|-section\.ts$/.test(file) &&
      !existsSync(join(root, file.replace(/\.ts$/, ".test.ts"))),
  );
  assert.deepEqual(missing, []);
});

test("the modules of the built-in agents, of the programs and of the shared lists are current", () => {
  execFileSync(process.execPath, ["scripts/write-agents.ts", "--check"], { cwd: root });
  execFileSync(process.execPath, ["scripts/write-programs.ts", "--check"], { cwd: root });
  execFileSync(process.execPath, ["scripts/write-lists.ts", "--check"], { cwd: root });
});

test("the operations and types of the Python client are current", () => {
  execFileSync(process.execPath, ["scripts/write-python.ts", "--check"], { cwd: root });
});

test("files are named in kebab case", () => {
  const wrong = files("{src,test,bench,scripts}/**/*.{ts,tsx,mjs}").filter(
    (file) =>
      !file.startsWith("test/fixtures/") && !/^([a-z0-9.-]+\/)*[a-z0-9]+([.-][a-z0-9]+)*\.(ts|tsx|mjs)$/.test(file),
  );
  assert.deepEqual(wrong, []);
});

test("nothing names a path of one machine or a file outside the project", () => {
  const outside = /\.\.\/share[d]\b|\/wor[k]\/|\/hom[e]\/[a-z]/;
  const wrong = files("{src,test,bench,scripts,docs}/**/*.{ts,tsx,md,json,mjs}")
    .concat(files("*.{md,json}"))
    .filter((file) => !file.startsWith("test/fixtures/") && file !== "package-lock.json")
    .filter((file) => outside.test(read(file)));
  assert.deepEqual(wrong, []);
});

test("no test hides the others of its file", () => {
  const isFocused = (text: string): boolean => /\b(?:test|it|describe|suite)\.only\(|\{ only: (?:true)/.test(text);
  assert.ok(isFocused(["test", "only("].join(".")));
  assert.deepEqual(
    files("{src,test,scripts}/**/*.test.ts").filter((file) => isFocused(read(file))),
    [],
  );
});

test("comments that leave work to do carry an issue number", () => {
  const wrong = sources.filter((file) => /\b(TODO|FIXME|XXX)\b(?! \(#\d+\))/.test(read(file)));
  assert.deepEqual(wrong, []);
});

test("each decision note has a kebab-case name, 10 to 120 lines and one line in the index", () => {
  const notes = files("docs/decisions/*.md").filter((file) => file !== "docs/decisions/README.md");
  const wrong = notes.filter((file) => {
    const lines = read(file).trimEnd().split("\n").length;
    return lines < 10 || lines > 120 || !/\/[a-z0-9]+(-[a-z0-9]+)*\.md$/.test(file);
  });
  assert.deepEqual(wrong, []);
  const listed = [...read("docs/decisions/README.md").matchAll(/^- \[[^\]]+\]\(([^)]+)\): /gm)].map(
    (match) => match[1],
  );
  assert.equal(new Set(listed).size, listed.length);
  assert.deepEqual(new Set(listed), new Set(notes.map((file) => file.replace("docs/decisions/", ""))));
});

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

test("a link to a file of the documentation leads to a file and a heading that exist", () => {
  const wrong = files("{*.md,docs/**/*.md,src/**/*.md}").flatMap((file) =>
    [...read(file).matchAll(/\]\(([\w./-]+\.md)?(?:#([\w-]+))?\)/g)].flatMap(([link, path, anchor]) => {
      const target = path === undefined ? file : join(dirname(file), path);
      if (!existsSync(join(root, target))) return [`${file}: ${link}`];
      const headings = [...read(target).matchAll(/^#+ (.+)$/gm)].map((match) => anchorOf(match[1] ?? ""));
      return anchor === undefined || headings.includes(anchor) ? [] : [`${file}: ${link}`];
    }),
  );
  assert.deepEqual(wrong, []);
});

test("a comment that refers to a decision note names one that exists", () => {
  const wrong = files("{src,test,bench,scripts}/**/*.{ts,tsx,mjs}").flatMap((file) =>
    [...read(file).matchAll(/docs\/decisions\/([\w.-]*\w)/g)]
      .filter(([path]) => file !== "test/tidy.test.ts" && !existsSync(join(root, path)))
      .map(([path]) => `${file}: ${path}`),
  );
  assert.deepEqual(wrong, []);
});

/** Files besides src/core/vt that may look for ESC, each with its reason. */
const mayLookForEscape: ReadonlyMap<string, string> = new Map([
  ["src/core/text/sanitizer.ts", "has a fast path; test/tokenizer-peers.test.ts holds it equal to the tokenizer"],
  ["src/core/text/viewer-filter.ts", "asks a token for its opener"],
  ["src/core/screen/clamp.ts", "writes out what is open"],
  ["src/core/events/tag-scanner.ts", "searches for what may stand within a tag"],
  ["src/core/input/paste.ts", "writes pastes"],
  // What a person types, where ESC is a key too.
  ["src/core/typing/input-reader.ts", "reads keys"],
  ["src/core/typing/encoded-key.ts", "reads keys in other encodings"],
  ["src/cli/terminal/detach-keys.ts", "holds back what may be a key in another encoding"],
  ["src/daemon/operations/attaching.ts", "reads focus reports of a terminal"],
  ["src/terminal/command-output.ts", "knows the mark that zsh prints in front of its prompt"],
]);

/** Code that compares with ESC: its number, its name, or its escape in a regular expression or behind a comparison or search. */
const looksForEscape = [
  /\b0x1b\b|[=!]==? 27\b/i,
  /\bESC(?:APE)?\b/,
  /(?:===|!==|case|(?:[iI]ndexOf|startsWith|endsWith|includes|split|match\w*|replace\w*|search)\()\s*["'`/]\\(?:u001b|x1b|u\{1b\}|e)/i,
  /(?:[=(,:?|&!]|return)\s*\/(?![/*])(?:\\.|[^\\/\n])*?\\(?:u001b|x1b|u009b|x9b)/i,
];

test("escape sequences have one reader: nothing outside of src/core/vt looks for ESC", () => {
  const wrong = implementations.filter((file) => {
    const code = read(file).replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "");
    const isAllowed = file.startsWith("src/core/vt/") || mayLookForEscape.has(file);
    return !isAllowed && looksForEscape.some((pattern) => pattern.test(code));
  });
  assert.deepEqual(wrong, []);
});

/** Facts that have one reader: what only a reader of the fact contains, and where it may stand. */
const readers: readonly { readonly fact: string; readonly pattern: RegExp; readonly files: readonly string[] }[] = [
  {
    fact: "shell marks (OSC 133 and 633)",
    pattern: /(?<![-\w.])[16]33\b(?!, parked)/,
    files: [
      "src/core/shell-marks/shell-mark.ts",
      "src/terminal/shell-integration.ts", // writes them
      "src/core/text/viewer-policy.ts", // says which sequences a viewer gets
    ],
  },
  {
    fact: "keys and pastes",
    pattern: /20[01]~|(?:===|case) "\\u00(?:03|15|7F)"|new InputReader\(/,
    files: [
      "src/core/typing/input-reader.ts",
      "src/core/typing/typing.ts",
      "src/core/typing/echo.ts",
      "src/core/typing/last-typed.ts", // in the host, which has no observations
      "src/cli/terminal/chooser.ts", // of a list on the terminal of the user, in no session
    ],
  },
  {
    fact: "DEC modes",
    pattern: /(?<![-\w.])(?:47, 1047|1047|1049|2004|2026)(?![-\w])/,
    files: ["src/core/vt/dec-modes.ts", "src/core/emulator/xterm/serialize.ts"], // the second one writes them
  },
  { fact: "agent identity", pattern: /new AgentTracker\(/, files: ["src/core/observe/observer.ts"] },
  { fact: "what was typed", pattern: /new Typing\(/, files: ["src/core/observe/observer.ts"] },
  { fact: "observations", pattern: /new Observer\(/, files: ["src/core/views/session-reducers.ts"] },
];

const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(?<!:)\/\/.*$/gm, "");

for (const { fact, pattern, files: allowed } of readers) {
  test(`one place reads ${fact}`, () => {
    const found = implementations.filter((file) => pattern.test(withoutComments(read(file))));
    assert.deepEqual(
      found.filter((file) => !allowed.includes(file)),
      [],
    );
    assert.deepEqual(
      allowed.filter((file) => !found.includes(file)),
      [],
      "a file of the list reads it no more",
    );
  });
}
