/** What may import what. */
import assert from "node:assert/strict";
import { dirname, join, relative, resolve, sep } from "node:path";
import { test } from "node:test";
import {
  files,
  floorOf,
  folderOf,
  implementations,
  importsOf,
  isPure,
  read,
  root,
  sources,
  targetsOf,
} from "./source-files.ts";

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
  cli: "core protocol client machines pty host terminal replay disk daemon server timers".split(" "),
  session: ["core", "protocol", "journal", "pty", "host", "terminal", "live", "client", "daemon"],
  trpc: ["core", "protocol", "client"],
  ui: ["client", "core", "protocol"],
  features: ["core", "protocol", "client", "machines", "daemon", "server", "cli"],
};

/** Where a feature is known outside of `src/features`, each with its reason. */
const knowsFeatures: ReadonlyMap<string, string> = new Map([
  ["src/core/config/sections.ts", "the list of the sections of lectern.yaml"],
  ["src/protocol/operations.ts", "the operation table"],
  ["src/daemon/operations/service.ts", "the types of the operation table"],
  ["src/cli/commands.ts", "the list of the commands"],
  ["src/cli/commands/up.ts", "hands the list to the daemon"],
  ["src/daemon/store/notify-schema.ts", "types of the rows that it keeps"],
  ["src/daemon/store/notify-rows.ts", "types of the rows that it keeps"],
  ["src/ui/usage/usage-page.tsx", "the page of the feature"],
  ["src/ui/worker/service-worker.ts", "shows its messages"],
]);

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
      // `features.ts` and `operations.ts`.
      const isList = (knowsFeatures.has(file) || file.endsWith(".test.ts")) && /^src\/features\/[^/]+$/.test(target);
      const fine =
        isPublicClient ||
        isList ||
        (targetFloor !== undefined && (targetFloor === floor || allowed.includes(targetFloor)));
      if (!fine) wrong.push(`${file} imports ${target}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test("the product knows records, not features: only lists name a feature", () => {
  const knowing = sources.filter(
    (file) =>
      !/^src\/features\/|\.test\.ts$/.test(file) &&
      targetsOf(file).some((target) => target.startsWith("src/features/")),
  );
  assert.deepEqual(new Set(knowing), new Set(knowsFeatures.keys()));
});

test("a feature has its record, and is in the list", () => {
  const list = read("src/features/features.ts");
  for (const file of files("src/features/*/feature.ts"))
    assert.ok(list.includes(`"./${file.split("/")[2]}/feature.ts"`), file);
  assert.deepEqual(
    new Set(files("src/features/*/*/*.ts").map((file) => file.split("/")[2])),
    new Set(files("src/features/*/feature.ts").map((file) => file.split("/")[2])),
  );
});

test("the pure floors import no module of Node", () => {
  const pure = implementations.filter((file) => isPure(file));
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

test("no thread loads zod, which takes longer than the thread itself: the main thread checks what it gives and gets", () => {
  const threads = sources.filter((file) => file.endsWith("-worker.ts") && !file.startsWith("src/ui/"));
  assert.ok(threads.length >= 4, "the threads are found");
  const loads = (file: string): boolean => /^import (?!type\b)[^;]*? from "zod";/m.test(read(file));
  assert.deepEqual(
    threads.map((thread) => [thread, ...[...modulesOf(thread)].filter(loads)]),
    threads.map((thread) => [thread]),
  );
});

test("one folder knows the packages of the emulator, and one file knows that folder", () => {
  const folder = "src/core/emulator/xterm/";
  const outside = implementations.filter((file) => !file.startsWith(folder));
  const packages = outside.filter((file) => importsOf(file).some((name) => name.startsWith("@xterm/headless")));
  assert.deepEqual(packages, []);
  const uses = (target: string): boolean => target.startsWith(folder) && target !== `${folder}widths.ts`; // the page needs it too
  const users = outside.filter((file) => targetsOf(file).some(uses));
  assert.deepEqual(users, ["src/core/screen/screen.ts"]);
});

test("each module of the product is used by the product, not by tests alone", () => {
  interface KnipFile {
    readonly workspaces: { readonly ".": { readonly entry: readonly string[] } };
  }
  const { entry } = (JSON.parse(read("knip.json")) as KnipFile).workspaces["."];
  const reached = new Set(entry.filter((each) => each.endsWith("!")).flatMap((each) => files(each.slice(0, -1))));
  // A set gives what is added to it in the same loop.
  for (const file of reached) {
    for (const target of targetsOf(file)) if (/\.tsx?$/.test(target)) reached.add(target);
  }
  const modules = implementations.filter((file) => !file.endsWith(".d.ts"));
  assert.deepEqual(
    modules.filter((file) => !reached.has(file)),
    [],
  );
  assert.ok(modules.length > 500, "the modules are found");
});

/** Where a path of `/proc` or the name of the system is written besides the record of the platform, each with its reason. */
const knowsSystem: ReadonlyMap<string, string> = new Map([
  ["src/pty/platform.ts", "the record"],
  ["src/pty/node-pty.ts", "the names of its binaries"],
  ["src/cli/checks.ts", "doctor prints it"],
  ["src/cli/commands/open.ts", "which program opens a browser"],
  ["src/cli/service/manager.ts", "systemd or launchd"],
  ["src/core/sandbox/bubblewrap.ts", "what is mounted inside a sandbox"],
  ["src/daemon/sandbox/make-plan.ts", "what is hidden inside a sandbox"],
]);

test("every use of /proc and of node:ffi asks the record of the platform", () => {
  // The gate reads texts of commands, in which such paths stand.
  const asking = implementations.filter((file) => !/^src\/(?:core\/gate|ui)\/|\/built-in-data\.ts$/.test(file));
  const code = (file: string): string => read(file).replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  const own = asking.filter((file) => /["'`]\/proc\b|(?<=")[^"]* \/proc |\bprocess\.platform\b/.test(code(file)));
  assert.deepEqual(new Set(own), new Set(knowsSystem.keys()));
  const ffi = implementations.filter((file) => /getBuiltinModule\("node:ffi"\)/.test(read(file)));
  assert.deepEqual(ffi, ["src/pty/libc.ts"]);
  assert.match(read("src/pty/libc.ts"), /if \(platform\.withoutFfi !== undefined\) return unavailable/);
});

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
