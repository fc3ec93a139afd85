import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSchema } from "../json-schema/json-schema.ts";
import { keysOf } from "./config-section.ts";
import { configSections } from "./sections.ts";

test("each key has a sentence, and a default that its own schema and check accept", () => {
  for (const [name, entry] of Object.entries(configSections)) {
    for (const { key, path } of keysOf(name, entry)) {
      const where = path.join(".");
      assert.match(key.summary, /^[A-Z].*[.)]$/, where);
      assert.match(path.at(-1) ?? "", /^[a-z][A-Za-z0-9]*$/, where);
      if (key.default === undefined) continue;
      const check = compileSchema(key.schema, { dialect: "2020-12", pattern: (source) => new RegExp(source, "u") });
      assert.equal(check(key.default).valid, true, where);
      assert.deepEqual(key.problems(key.default), [], where);
    }
  }
});
