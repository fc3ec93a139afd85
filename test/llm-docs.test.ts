import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { blocksOf, root } from "./documents.ts";
import { ScriptedModel } from "./support/scripted-model/scripted-model.ts";

const run = promisify(execFile);
const directory = mkdtempSync(join(tmpdir(), "lectern-docs-"));
after(() => rmSync(directory, { recursive: true, force: true }));
mkdirSync(join(directory, "node_modules"));
symlinkSync(root, join(directory, "node_modules/lectern"));

const vendors = /https:\/\/(api\.anthropic\.com|api\.openai\.com|generativelanguage\.googleapis\.com)/g;
const programs = blocksOf("docs/llm.md").filter(({ language }) => language === "ts");

/** What a program of the document prints, with the vendors' servers replaced by a scripted one. */
async function printed(name: string, model: ScriptedModel): Promise<string[]> {
  const { text = "" } = programs.find((block) => block.name === name) ?? {};
  writeFileSync(join(directory, name), text.replaceAll(vendors, model.url));
  const { stdout } = await run(process.execPath, ["-C", "source", name], { cwd: directory, timeout: 120_000 });
  return stdout.trimEnd().split("\n");
}

for (const dialect of ["anthropic", "openai-responses", "openai-chat", "gemini"]) {
  test(`the program for ${dialect} in docs/llm.md is about ten lines and reads a stream`, async () => {
    await using model = await ScriptedModel.start({ turns: [{ say: "Hello yourself", eventChars: 6 }] });
    assert.deepEqual(await printed(`${dialect}.mts`, model), ["Hello ", "yourse", "lf", "stop 0 null"]);
    const lines =
      programs
        .find(({ name }) => name === `${dialect}.mts`)
        ?.text.trimEnd()
        .split("\n") ?? [];
    assert.ok(lines.length <= 12, `${lines.length} lines with imports`);
  });
}

test("the program with the pieces in docs/llm.md prints what they give", async () => {
  await using model = await ScriptedModel.start({ turns: [] });
  assert.deepEqual(await printed("pieces.mts", model), [
    '[{"event":"message","data":"a","id":""}]',
    '[{"event":"message","data":"b","id":""}]',
    '[{"path":"/path","text":"a.ts","end":true}]',
    '{"path":"a.ts","content":"let"} false true',
    '{"command":"ls -l"} {"kind":"number","path":"/timeout"}',
  ]);
});

test("the program with the gate in docs/llm.md lets through what the policy allows, and says why it refuses", async () => {
  await using model = await ScriptedModel.start({
    turns: [
      {
        calls: [
          { name: "ls", arguments: { path: "src" } },
          { name: "ls", arguments: { path: "/etc" } },
          { name: "ls", arguments: {} },
          { name: "rm", arguments: { path: "src" } },
        ],
      },
    ],
  });
  assert.deepEqual(await printed("gate.mts", model), [
    'ls {"path":"src"} execute ',
    'ls {"path":"/etc"} ask ',
    "ls {} deny The arguments do not fit the tool's schema",
    'rm {"path":"src"} deny The tool "rm" was not offered to the model',
  ]);
});

test("the program with modelFetch in docs/llm.md asks again after a passing failure", async () => {
  const error = { type: "overloaded_error", message: "Overloaded" };
  const failed = { status: 429, retryAfterSeconds: 0, error };
  await using model = await ScriptedModel.start({ turns: [failed, { ...failed, status: 503 }, { say: "Hello" }] });
  assert.deepEqual(await printed("fetch.mts", model), ["again after 429", "again after 503", "Hello"]);
});
