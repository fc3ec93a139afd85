import assert from "node:assert/strict";
import { test } from "node:test";
import { toolKind } from "./tool-kind.ts";

test("names of tools of several agents have their kinds", () => {
  const names = ["Bash", "run_shell_command", "Read", "read_file", "Edit", "apply_patch", "WebFetch", "Grep", "Task"];
  const kinds = ["execute", "execute", "read", "read", "edit", "edit", "fetch", "search", "other"];
  assert.deepEqual(
    names.map((name) => toolKind(name)),
    kinds,
  );
});
