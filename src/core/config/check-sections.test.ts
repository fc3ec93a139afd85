import assert from "node:assert/strict";
import { test } from "node:test";
import { yaml } from "../gate/yaml-file.ts";
import { checkConfig } from "./check-sections.ts";

test("the sections of Lectern are checked", () => {
  const { data, problems } = checkConfig(yaml.read("listen: {port: 8080}\nlog: {level: loud}\n"), "user");
  assert.deepEqual(data, { listen: { port: 8080 } });
  assert.deepEqual(
    problems.map(({ line, section }) => [line, section]),
    [[2, "log"]],
  );
});
