import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { presentPlaces, setAsidePlaces } from "./new-places.ts";

test("what was made where there was none is set aside, and what lies behind a link is not", () => {
  const around = realpathSync(mkdtempSync(join(tmpdir(), "lectern-places-")));
  const root = join(around, "root");
  try {
    mkdirSync(join(around, "other/workflows"), { recursive: true });
    mkdirSync(root);
    writeFileSync(join(root, ".npmrc"), "");
    const present = new Set(presentPlaces(root));
    assert.deepEqual([...present], [".npmrc"]);
    symlinkSync(join(around, "other"), join(root, ".github"));
    symlinkSync("/nowhere", join(root, "lefthook.yml"));
    mkdirSync(join(root, ".cargo"));
    writeFileSync(join(root, ".cargo/config.toml"), "");
    writeFileSync(join(root, "GNUmakefile"), "");
    writeFileSync(join(root, "GNUmakefile-from-sandbox"), "");
    const made = ["lefthook.yml", ".cargo", "GNUmakefile"].map((name) => join(root, name));
    assert.deepEqual(
      setAsidePlaces(root, present, (path) => made.includes(path)),
      [],
    );
    assert.deepEqual(new Set(setAsidePlaces(root, present)), new Set(made));
    assert.deepEqual(readdirSync(root).toSorted(), [
      ".cargo-from-sandbox",
      ".github",
      ".npmrc",
      "GNUmakefile-from-sandbox",
      "GNUmakefile-from-sandbox-2",
      "lefthook.yml-from-sandbox",
    ]);
    assert.ok(existsSync(join(around, "other/workflows")));
    assert.deepEqual(setAsidePlaces(root, present), []);
  } finally {
    rmSync(around, { recursive: true });
  }
});
