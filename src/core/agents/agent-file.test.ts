import assert from "node:assert/strict";
import { test } from "node:test";
import { agentSchema } from "./agent-file.ts";
import { colourNames } from "./row-test.ts";

test("the schema names every colour that rules know", () => {
  const { pattern } = agentSchema.$defs.colour;
  for (const name of [...colourNames, "#0a0b0c"]) assert.match(name, new RegExp(pattern));
});
