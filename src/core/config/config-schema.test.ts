import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { compileSchema } from "../json-schema/json-schema.ts";
import { flag, texts } from "./config-key.ts";
import { configSchema } from "./config-schema.ts";
import { configSections } from "./sections.ts";

test("the published schema is the one that files are checked by: else run npm run docs:config", () => {
  const file = new URL("../../../schemas/config.schema.json", import.meta.url);
  assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), JSON.parse(JSON.stringify(configSchema(configSections))));
});

test("a schema takes what its sections take, and nothing else", () => {
  const lamp = { summary: "A lamp.", keys: { on: flag({ default: false, summary: "It is on." }) } };
  const schema = configSchema({ lamp, bells: texts({ summary: "Bells." }) });
  const check = compileSchema(schema, { dialect: "2020-12", pattern: (source) => new RegExp(source, "u") });
  const fits = (value: unknown): boolean => check(value).valid;
  assert.deepEqual([{}, { lamp: { on: true }, bells: ["low"] }].map(fits), [true, true]);
  assert.deepEqual([{ lamp: { off: true } }, { lamps: {} }, { bells: "low" }].map(fits), [false, false, false]);
});
