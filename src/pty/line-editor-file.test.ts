import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { lineEditorBindings } from "./line-editor-file.ts";
import { platform } from "./platform.ts";

/** The bound keys of a program with this environment, and with these files in its home directory `~`. */
async function keysIn(
  files: Readonly<Record<string, string>>,
  environment: Record<string, string> = {},
): Promise<string[]> {
  const home = mkdtempSync(join(tmpdir(), "lct-inputrc-"));
  try {
    mkdirSync(join(home, ".config/readline"), { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
    const inHome = Object.entries(environment).map(([name, value]) => [name, value.replace("~", home)]);
    const env = { HOME: home, PATH: process.env["PATH"], ...Object.fromEntries(inHome) };
    const child = spawn("cat", { env });
    // While a process becomes another program, the kernel shows no environment: a program that answers is past that.
    child.stdin.write("begun\n");
    await once(child.stdout, "data");
    const keys = lineEditorBindings(child.pid ?? 0, "gdb").map((binding) => binding.keys);
    child.kill("SIGKILL");
    await once(child, "close");
    return keys;
  } finally {
    rmSync(home, { recursive: true });
  }
}

const macro = (key: string): string => `"${key}": "x"\n`;

test("the init file is the one of the program's own environment", { skip: !platform.hasProc }, async () => {
  assert.deepEqual(await keysIn({ ".inputrc": macro("a") }), ["a"]);
  assert.deepEqual(await keysIn({ ".inputrc": macro("a"), other: macro("b") }, { INPUTRC: "~/other" }), ["b"]);
  assert.deepEqual(await keysIn({ ".config/readline/inputrc": macro("c") }), ["c"]);
  assert.deepEqual(
    await keysIn({ ".inputrc": `$include ~/more\n$include /nowhere\n${macro("d")}`, more: macro("e") }),
    ["e", "d"],
  );
  assert.deepEqual(await keysIn({}, { INPUTRC: "~/missing" }), []);
});
