/**
 * Writes the gate's lists of paths as a module, made of path-lists.yaml: `npm run write:lists`. `--check` writes nothing and fails if the
 * module is not current.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

const folder = join(import.meta.dirname, "../src/core/gate");
const lists = parse(readFileSync(join(folder, "path-lists.yaml"), "utf8")) as Readonly<Record<string, unknown>>;
const entries = Object.entries(lists).map(([name, list]) => `  ${JSON.stringify(name)}: ${JSON.stringify(list)},\n`);
const text =
  "/** The shared lists of paths as data. Written by scripts/write-lists.ts from path-lists.yaml: do not edit. */\n" +
  'import type { PathListData } from "./path-lists.ts";\n\n' +
  `export const pathListsData: Readonly<Record<string, PathListData>> = {\n${entries.join("")}};\n`;

const path = join(folder, "path-lists-data.ts");
if (!process.argv.includes("--check")) writeFileSync(path, text);
else if (readFileSync(path, "utf8") !== text)
  throw new Error('path-lists-data.ts is not current: run "npm run write:lists"');
