/** The public names of the package: what its entry points export. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { test } from "node:test";
import { root } from "./documents.ts";
import { declaration, docstringOf, publicNames } from "./public-names.ts";

/** What a user of the package can learn: the rest is internal. */
const publicNamesMax = 180;

const files = (pattern: string): string[] =>
  globSync(pattern, { cwd: root })
    .map((file) => file.split(sep).join("/"))
    .toSorted();
const read = (file: string): string => readFileSync(join(root, file), "utf8");

/** Names that occur more than once, each with its places. */
function repeated(places: Iterable<readonly [name: string, place: string]>): string[] {
  const known = new Map<string, string[]>();
  for (const [name, place] of places) known.set(name, [...(known.get(name) ?? []), place]);
  return [...known].filter(([, all]) => all.length > 1).map(([name, all]) => `${name}: ${all.join(", ")}`);
}

test("the entry points are those of the package", () => {
  const { exports } = JSON.parse(read("package.json")) as { exports: Readonly<Record<string, string | object>> };
  const listed = Object.keys(exports).filter((entry) => entry !== "./package.json");
  assert.deepEqual(
    new Set(listed.map((entry) => entry.replace(/^\./, "lectern"))),
    new Set(publicNames.map(({ entry }) => entry)),
  );
});

test(`the package has at most ${publicNamesMax} public names`, () => {
  assert.ok(publicNames.length > 100, `${publicNames.length} names were read`);
  assert.ok(publicNames.length <= publicNamesMax, `${publicNames.length} names`);
});

test("no public name is exported twice, but for the client: the one for Node also finds and starts the daemon", () => {
  assert.deepEqual(repeated(publicNames.map(({ name, entry }) => [name, entry])), [
    "LecternClient: lectern/client, lectern",
  ]);
});

test("no name is exported by two files of src", () => {
  const own = files("src/*/**/*.{ts,tsx}").filter((file) => !/\.test\.tsx?$/.test(file));
  const places = own
    // A command and a tool are records under the word that people and models type.
    .filter((file) => !/^src\/(?:cli\/commands|server\/mcp|features\/\w+\/cli)\//.test(file))
    .flatMap((file) =>
      [...read(file).matchAll(new RegExp(`^${declaration("(\\w+)")}`, "gm"))].map(
        ([, name = ""]) => [name, file] as const,
      ),
    );
  assert.deepEqual(repeated(places), []);
});

test("each public name has a docstring", () => {
  const without = publicNames.filter((name) => docstringOf(name) === undefined);
  assert.deepEqual(
    without.map(({ name, file }) => `${file}: ${name}`),
    [],
  );
});

const codesIn = (file: string): string[] =>
  file.endsWith(".md")
    ? [...read(file).matchAll(/^```ts[^\n]*\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code)
    : [read(file)];

/** `[entry point, name]` of each import in the examples of the documents and in `examples/`. */
const examples = files("{README.md,docs/*.md,examples/**/*.ts}").flatMap((file) =>
  codesIn(file).flatMap((code) =>
    [...code.matchAll(/import (?:type )?\{([^}]*)\} from "(lectern[/\w]*)"/g)].flatMap(([, list = "", entry = ""]) =>
      list.split(",").map((item) => [entry, item.trim().replace(/^type /, ""), file] as const),
    ),
  ),
);

test("the examples of the documents import public names only", () => {
  const known = new Set(publicNames.map(({ entry, name }) => `${entry} ${name}`));
  const wrong = examples.filter(([entry, name]) => !known.has(`${entry} ${name}`));
  assert.deepEqual(wrong, []);
});

/** Classes that nobody makes by themselves: functions and methods return them. */
const returned: ReadonlySet<string> = new Set(["Attachment", "LiveSession", "Terminal"]);

test("an example shows each public function, class and constant", () => {
  const shown = new Set(examples.map(([, name]) => name));
  const missing = publicNames.filter(({ name, isType }) => !isType && !returned.has(name) && !shown.has(name));
  assert.deepEqual(
    missing.map(({ entry, name }) => `${entry}: ${name}`),
    [],
  );
});
