import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import { namedTypes } from "./type-names.ts";

test("no two names are of the same type, so that each has one name", () => {
  const all = Object.values<z.ZodType>(namedTypes);
  assert.equal(new Set(all).size, all.length);
  const texts = all.map((schema) => JSON.stringify(z.toJSONSchema(schema, { io: "output", unrepresentable: "any" })));
  assert.equal(new Set(texts).size, all.length);
});
