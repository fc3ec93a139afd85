import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { extractMessages, extractorFor } from "./extract-messages.ts";

const folder = join(import.meta.dirname, "../../test/fixtures/recordings");
const recording = (name: string): Buffer => gunzipSync(readFileSync(join(folder, `${name}.cast.gz`)));
const said = (messages: ReturnType<typeof extractMessages>): string[] =>
  messages.map(({ role, text }) => `${role}: ${text.slice(0, 24)}`);
const rule = "─".repeat(80);

test("the text of a conversation becomes messages", () => {
  assert.deepEqual(said(extractMessages("› fix it\n\n• Done.", "codex")), ["user: fix it", "assistant: Done."]);
  assert.deepEqual(said(extractMessages("\u001B[1m❯ hi\u001B[0m\r\n\r\n\u001B[39m●\u001B[0m Hello!", "claude")), [
    "user: hi",
    "assistant: Hello!",
  ]);
});

test("what Claude Code reports of a task in the background is no call of a tool", () => {
  const mark = "\u001B[38;2;78;186;101m●\u001B[39m";
  const screen = `❯ please find it\r\n\r\n${mark} Agent "find it" finished · 1s\r\n\r\n\u001B[39m●\u001B[0m Found.`;
  assert.deepEqual(said(extractMessages(screen, "claude")), ["user: please find it", "assistant: Found."]);
});

test("the text of a whole screen shows which agent it is", () => {
  const screen = `❯ hi\n\n\u001B[39m●\u001B[0m Hello!\n\n${rule}\n❯ \n${rule}\n  ? for shortcuts`;
  assert.deepEqual(said(extractMessages(screen)), ["user: hi", "assistant: Hello!"]);
  assert.deepEqual(extractMessages("just text"), []);
});

test("of a recording the conversation with one agent is given, or all there is", () => {
  const all = extractMessages(recording("codex-asks-60x20"));
  const own = extractorFor("codex").extract(recording("codex-asks-60x20"));
  assert.ok(own.some(({ role, text }) => role === "user" && text === "Please build-one it"));
  assert.deepEqual(new Set(own.map(({ agent }) => agent)), new Set(["codex"]));
  assert.ok(all.length > own.length);
  assert.deepEqual(extractMessages(recording("codex-asks-60x20"), "pi"), []);
});

test("a name that is not known is refused with the nearest, and a damaged recording with its line", () => {
  assert.throws(() => extractMessages("x", "claud"), /Unknown agent "claud": did you mean "claude"\?/);
  assert.throws(() => extractMessages('{"version": 2, "width": 80, "height": 24}\n[1, 2]'), /line 2/);
});
