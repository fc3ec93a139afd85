import assert from "node:assert/strict";
import { test } from "node:test";
import { nearest } from "./nearest.ts";

const known = ["attach", "logs", "ls", "run", "resize", "rename"];

test("a slip of the finger finds the word that was meant", () => {
  for (const [typed, meant] of Object.entries({
    atach: "attach",
    lgos: "logs",
    rnu: "run",
    resise: "resize",
    att: "attach",
  }))
    assert.equal(nearest(typed, known), meant, typed);
});

test("a word that is far from all of them finds nothing", () => {
  for (const typed of ["kubectl", "", "re", "xyz"]) assert.equal(nearest(typed, known), undefined, typed);
});
