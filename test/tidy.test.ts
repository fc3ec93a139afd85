/** The house rules that neither the compiler nor the linter can hold. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { test } from "node:test";

const root = resolve(import.meta.dirname, "..");

/** What each folder of `src/` may import besides itself: imports point down only. */
const mayImport: Record<string, readonly string[]> = {
  core: [],
  protocol: ["core"],
  timers: [],
  journal: ["core", "protocol"],
  pty: ["core", "protocol"],
  host: ["core", "protocol", "journal", "pty", "timers"],
  terminal: ["core", "protocol", "pty", "timers"],
  live: ["core", "protocol", "journal", "pty"],
  replay: ["core", "protocol", "journal", "live"],
  upstream: ["core"],
  disk: ["core"],
  client: ["core", "protocol"],
  machines: ["core", "protocol", "client", "host"],
  daemon: "core protocol journal pty host terminal live upstream disk client machines timers".split(" "),
  server: ["core", "protocol", "host", "daemon", "live", "client", "machines", "timers"],
  cli: ["core", "protocol", "client", "machines", "pty", "host", "terminal", "replay", "disk", "daemon", "server"],
  session: ["core", "protocol", "journal", "pty", "host", "terminal", "live", "client", "daemon"],
  trpc: ["core", "protocol", "client"],
  ui: ["client", "core", "protocol"],
};

/** Files over the limits of the linter or beside its rules, each with its reason. */
const withoutOwnTest: ReadonlySet<string> = new Set([
  "src/core/globals.d.ts", // declarations only
  "src/core/errors.ts", // a class without behaviour
  "src/core/views/checkpoint-version.ts", // a number only
  "src/protocol/records.ts", // types only
  "src/core/gate/shell-judge.ts", // types only
  "src/core/status/status.ts", // types and their names only
  "src/core/chat/message.ts", // types and their names only
  "src/core/transcripts/record-entry.ts", // types only
  "src/core/dialogs/approval.ts", // types and their names only
  // schemas only, which operations.test.ts and every call hold
  "src/protocol/operations/define.ts",
  "src/protocol/operations/administration.ts",
  "src/protocol/operations/cluster.ts",
  "src/protocol/operations/lifecycle.ts",
  "src/protocol/operations/files.ts",
  "src/protocol/operations/tasks.ts",
  "src/protocol/operations/typing.ts",
  "src/protocol/operations/reading.ts",
  "src/protocol/operations/viewing.ts",
  "src/protocol/operations/deciding.ts",
  "src/protocol/operations/usage.ts",
  "src/protocol/operations/notify.ts",
  "src/protocol/operations/push.ts",
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

const files = (pattern: string): string[] =>
  globSync(pattern, { cwd: root })
    .map((file) => file.split(sep).join("/"))
    .toSorted();

const sources = files("src/**/*.{ts,tsx}");
const implementations = sources.filter((file) => !file.endsWith(".test.ts"));
const read = (file: string): string => readFileSync(join(root, file), "utf8");

/** `[specifier]` of each static or dynamic import and re-export in a file. */
function importsOf(file: string): string[] {
  const pattern = /(?:^|\n)\s*(?:import|export)\b[^;'"]*?from\s*["']([^"']+)["']|import\(\s*["']([^"']+)["']\s*\)/g;
  return [...read(file).matchAll(pattern)].map((match) => match[1] ?? match[2] ?? "");
}

const floorOf = (file: string): string | undefined => /^src\/([^/]+)\//.exec(file)?.[1];

test("imports point down only, by the table of the floors", () => {
  const wrong: string[] = [];
  for (const file of sources) {
    const floor = floorOf(file);
    if (floor === undefined) continue;
    const allowed = mayImport[floor];
    assert.ok(allowed, `${file}: the folder "${floor}" is not in the table`);
    for (const specifier of importsOf(file)) {
      if (!specifier.startsWith(".")) continue;
      const target = relative(root, resolve(root, dirname(file), specifier))
        .split(sep)
        .join("/");
      if (file.endsWith(".test.ts") && target.startsWith("test/")) continue;
      const targetFloor = floorOf(target);
      // The page is a client as any other: it uses what the package gives to browsers.
      const isPublicClient = floor === "ui" && target === "src/client.ts";
      const fine =
        isPublicClient || (targetFloor !== undefined && (targetFloor === floor || allowed.includes(targetFloor)));
      if (!fine) wrong.push(`${file} imports ${target}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test("the pure floors import no module of Node", () => {
  const pure = implementations.filter((file) => /^src\/(core|protocol)\//.test(file));
  const wrong = pure.flatMap((file) =>
    importsOf(file)
      .filter((specifier) => specifier.startsWith("node:"))
      .map((specifier) => `${file} imports ${specifier}`),
  );
  assert.deepEqual(wrong, []);
});

test("node:http is imported for its types only: an import of a value takes each process 80 ms (src/daemon/node-http.ts)", () => {
  const wanted = /^import (?!type\b)[^;]*? from "node:http";/m;
  assert.deepEqual(
    implementations.filter((file) => wanted.test(read(file))),
    [],
  );
});

/** The modules of `src` that a process loads at its start: the static imports of values from an entry on. */
function modulesOf(entry: string, found = new Set<string>()): ReadonlySet<string> {
  found.add(entry);
  const pattern = /(?:^|\n)(?:import|export)\b(?! type\b)[^;'"]*?from\s*"(\.[^"]+)"/g;
  for (const [, specifier = ""] of read(entry).matchAll(pattern)) {
    const target = join(dirname(entry), specifier).split(sep).join("/");
    if (!found.has(target)) modulesOf(target, found);
  }
  return found;
}

test("the pty host stays small: it loads at most 82 modules", () => {
  const { size } = modulesOf("src/host/main.ts");
  assert.ok(size <= 82, `it loads ${size}`);
  assert.ok(size > 50, "the imports are read");
});

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
      /^src\/(core|protocol)\//.test(file) &&
      !withoutOwnTest.has(file) &&
      // Tables only, which the tests of src/core/config hold.
      !file.startsWith("src/core/config/sections/") &&
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

test("one folder knows the packages of the emulator, and one file knows that folder", () => {
  const folder = "src/core/emulator/xterm/";
  const outside = implementations.filter((file) => !file.startsWith(folder));
  const packages = outside.filter((file) => importsOf(file).some((name) => name.startsWith("@xterm/headless")));
  assert.deepEqual(packages, []);
  const uses = (target: string): boolean => target.startsWith(folder) && target !== `${folder}widths.ts`; // the page needs it too
  const users = outside.filter((file) => targetsOf(file).some(uses));
  assert.deepEqual(users, ["src/core/screen/screen.ts"]);
});

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

/** The reducers know observations, and not each other: `core/views` composes them. */
const reducers: ReadonlySet<string> = new Set([
  "status",
  "approvals",
  "chat",
  "events",
  "usage",
  "intents",
  "conversations",
]);

test("no reducer imports another", () => {
  const wrong = implementations.flatMap((file) => {
    const own = folderOf(file, "src/core");
    if (own === undefined || !reducers.has(own)) return [];
    return targetsOf(file)
      .filter((target) => {
        const other = folderOf(target, "src/core") ?? "";
        return other !== own && reducers.has(other);
      })
      .map((target) => `${file} imports ${target}`);
  });
  assert.deepEqual(wrong, []);
});

for (const floor of Object.keys(mayImport)) {
  test(`the folders of src/${floor} import each other without a cycle`, () => {
    const imports = importsBetweenFolders(`src/${floor}`);
    const cycles = strongComponents(imports.map(({ from, to }) => [from, to])).map((folders) =>
      imports.filter(({ from, to }) => folders.has(from) && folders.has(to)).map(({ text }) => text),
    );
    assert.deepEqual(cycles, []);
  });
}

test("a cycle of folders is found, whatever else they import", () => {
  const planted = strongComponents(
    ["ab", "bc", "ca", "cd", "de", "fd", "gh", "hg", "ia"].map(([a = "", b = ""]) => [a, b]),
  );
  assert.deepEqual(planted.map((folders) => [...folders].toSorted().join("")).toSorted(), ["abc", "gh"]);
  assert.deepEqual(
    strongComponents([
      ["a", "b"],
      ["a", "c"],
      ["b", "c"],
    ]),
    [],
  );
});

/** Imports from one folder of a floor to another, of types too. A file directly in the floor counts as a folder. */
function importsBetweenFolders(floor: string): { from: string; to: string; text: string }[] {
  return implementations.flatMap((file) => {
    const from = folderOf(file, floor);
    if (from === undefined) return [];
    return targetsOf(file).flatMap((target) => {
      const to = folderOf(target, floor);
      return to === undefined || to === from ? [] : [{ from, to, text: `${file} imports ${target}` }];
    });
  });
}

/** Strongly connected components of more than one node: sets in which each node reaches every other one. */
function strongComponents(edges: readonly (readonly [from: string, to: string])[]): Set<string>[] {
  const next = Map.groupBy(edges, ([from]) => from);
  const reachedFrom = (start: string): Set<string> => {
    const reached = new Set<string>();
    for (const open = [start]; open.length > 0;) {
      for (const [, to] of next.get(open.pop() ?? "") ?? []) {
        if (!reached.has(to)) open.push(to);
        reached.add(to);
      }
    }
    return reached;
  };
  const reached = new Map([...next.keys()].map((node) => [node, reachedFrom(node)]));
  const components: Set<string>[] = [];
  for (const [node, others] of reached) {
    if (!others.has(node) || components.some((component) => component.has(node))) continue;
    components.push(new Set([...others].filter((other) => reached.get(other)?.has(node))));
  }
  return components;
}

/** The folder below `floor`, or the file itself if it stands directly in it; undefined for a file elsewhere. */
function folderOf(file: string, floor: string): string | undefined {
  return file.startsWith(`${floor}/`) ? file.slice(floor.length + 1).split("/")[0] : undefined;
}

/** The files that a file imports, from the root of the project. */
function targetsOf(file: string): string[] {
  return importsOf(file)
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) =>
      relative(root, resolve(root, dirname(file), specifier))
        .split(sep)
        .join("/"),
    );
}
