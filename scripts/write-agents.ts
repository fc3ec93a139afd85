/**
 * Writes the built-in agents as two modules, made of their files: `npm run write:agents`. Modules are what the sources, the package and
 * the page can all import. `--check` writes nothing and fails if they are not current.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

const folder = join(import.meta.dirname, "../src/core/agents");
const files = readdirSync(join(folder, "built-in"))
  .filter((file) => file.endsWith(".yaml"))
  .toSorted()
  .map((file) => [file.replace(/\.yaml$/, ""), readFileSync(join(folder, "built-in", file), "utf8")] as const);

const head = (what: string): string =>
  `/** ${what}. Written by scripts/write-agents.ts from the files in built-in/: do not edit. */\n`;
const entries = (values: readonly (readonly [string, unknown])[]): string =>
  values.map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`).join("");

const modules = {
  "built-in-data.ts":
    head("The built-in agents as data") +
    'import type { AgentFile } from "./agent-file.ts";\n\n' +
    `export const builtInData: Readonly<Record<string, AgentFile>> = {\n${entries(files.map(([name, text]) => [name, parse(text)]))}};\n`,
  "built-in-texts.ts":
    head("The files of the built-in agents, to start a file of one's own from") +
    `export const builtInTexts: Readonly<Record<string, string>> = {\n${entries(files)}};\n`,
};

const isCheck = process.argv.includes("--check");
for (const [name, text] of Object.entries(modules)) {
  const path = join(folder, name);
  if (!isCheck) writeFileSync(path, text);
  else if (readFileSync(path, "utf8") !== text) throw new Error(`${name} is not current: run "npm run write:agents"`);
}
