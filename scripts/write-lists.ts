/**
 * Writes the gate's lists of paths, and the places that a sandbox protects, as modules, made of path-lists.yaml and executed-later.yaml:
 * `npm run write:lists`. `--check` writes nothing and fails if a module is not current.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parse } from "yaml";

const folder = join(import.meta.dirname, "../src/core");

interface DataModule {
  /** Without its ending. */
  readonly file: string;
  readonly about: string;
  /** The name of the value, and its type in the module `of`. */
  readonly name: string;
  readonly type: string;
  readonly of: string;
}

const modules: readonly DataModule[] = [
  {
    file: "gate/path-lists",
    about: "The shared lists of paths as data",
    name: "pathListsData",
    type: "Readonly<Record<string, PathListData>>",
    of: "PathListData",
  },
  {
    file: "sandbox/executed-later",
    about: "The places that something executes later as data",
    name: "executedLaterData",
    type: "ExecutedLaterData",
    of: "ExecutedLaterData",
  },
];

for (const { about, file, name, of, type } of modules) {
  const data = parse(readFileSync(join(folder, `${file}.yaml`), "utf8")) as Readonly<Record<string, unknown>>;
  const entries = Object.entries(data).map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)},\n`);
  const base = basename(file);
  const text =
    `/** ${about}. Written by scripts/write-lists.ts from ${base}.yaml: do not edit. */\n` +
    `import type { ${of} } from "./${base}.ts";\n\n` +
    `export const ${name}: ${type} = {\n${entries.join("")}};\n`;
  const path = join(folder, `${file}-data.ts`);
  if (!process.argv.includes("--check")) writeFileSync(path, text);
  else if (readFileSync(path, "utf8") !== text)
    throw new Error(`${base}-data.ts is not current: run "npm run write:lists"`);
}
