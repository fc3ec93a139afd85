import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { choice, texts } from "../src/core/config/config-key.ts";
import { configTable } from "../scripts/config-table.ts";
import { configSections } from "../src/core/config/sections.ts";

/** The formatter pads the cells of a table. */
const cellsOf = (markdown: string): string[] =>
  markdown
    .split("\n")
    .map((line) => line.replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---").trim())
    .filter((line) => line !== "");

test("the documents have every key: else run npm run docs:config", () => {
  const page = readFileSync(new URL("../docs/configuration.md", import.meta.url), "utf8");
  const [, written = ""] = page.split(/^<!-- keys: .*-->$/m);
  assert.deepEqual(cellsOf(written), cellsOf(configTable(configSections)));
});

test("a row says what a key is, who may set it, and when it counts", () => {
  const summary = "The level.";
  const level = choice(["low", "high"], { default: "low", summary, project: "sets", environment: "LEVEL" });
  const table = configTable({
    log: { summary: "A log.", keys: { level } },
    bells: texts({ summary: "a|b.", needsRestart: true }),
  });
  const rows = table.split("\n").filter((line) => line.startsWith("| `"));
  assert.deepEqual(rows, [
    "| `log.level` | one of low, high | `low` | The level. `LEVEL` wins. | yes | after `lectern reload` |",
    "| `bells` | list of texts | none | a\\|b. | no | at the next start |",
  ]);
});
