/**
 * Writes the records of programs as a module, made of their files: `npm run write:programs`. YAML is too slow to be read at each start.
 * What only tests use (`test`) is left out. `--check` writes nothing and fails if the module is not current.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

const folder = join(import.meta.dirname, "../src/core/gate");
const records = new Map<string, unknown>();
for (const file of readdirSync(join(folder, "programs")).toSorted()) {
  const text = readFileSync(join(folder, "programs", file), "utf8");
  for (const [names, record] of Object.entries(parse(text) as Record<string, unknown>)) {
    if (records.has(names)) throw new Error(`${file}: "${names}" has a record already`);
    records.set(names, record);
  }
}

/** Without samples for tests, and with one blank between the words of a list. */
const shipped = (key: string, value: unknown): unknown => {
  if (key === "test") return undefined;
  return typeof value === "string" ? value.replaceAll(/\s+/g, " ").trim() : value;
};

const entries = [...records]
  .map(([names, record]) => `  ${JSON.stringify(names)}: ${JSON.stringify(record, shipped)},\n`)
  .join("");
const text =
  "/** The records of programs. Written by scripts/write-programs.ts from the files in programs/: do not edit. */\n" +
  'import type { ProgramEntry } from "./program-entry.ts";\n\n' +
  `export const programData: Readonly<Record<string, ProgramEntry>> = {\n${entries}};\n`;

const path = join(folder, "programs-data.ts");
if (!process.argv.includes("--check")) writeFileSync(path, text);
else if (readFileSync(path, "utf8") !== text)
  throw new Error('programs-data.ts is not current: run "npm run write:programs"');
