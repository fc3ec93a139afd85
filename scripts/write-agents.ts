/**
 * Writes the built-in agents as a module, made of their files: `npm run write:agents`. A module is what the sources, the package and the
 * page can all import. `--check` writes nothing and fails if they are not current.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

const folder = join(import.meta.dirname, "../src/core/agents");
const files = readdirSync(join(folder, "built-in"))
  .filter((file) => file.endsWith(".yaml"))
  .toSorted()
  .map((file) => [file.replace(/\.yaml$/, ""), readFileSync(join(folder, "built-in", file), "utf8")] as const);

const entries = files.map(([name, text]) => `  ${JSON.stringify(name)}: ${JSON.stringify(parse(text))},\n`).join("");
const text =
  "/** The built-in agents as data. Written by scripts/write-agents.ts from the files in built-in/: do not edit. */\n" +
  'import type { AgentFile } from "./agent-file.ts";\n\n' +
  `export const builtInData: Readonly<Record<string, AgentFile>> = {\n${entries}};\n`;

const path = join(folder, "built-in-data.ts");
if (!process.argv.includes("--check")) writeFileSync(path, text);
else if (readFileSync(path, "utf8") !== text)
  throw new Error('built-in-data.ts is not current: run "npm run write:agents"');
