/** Digests of real sessions: a shell that runs, and a recorded agent that was imported. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import type { OutputOf } from "../../src/protocol/operations.ts";
import { until } from "../support/until.ts";
import { SharedHome } from "./cli-home.ts";

const shared = new SharedHome();

const recordings = resolve(import.meta.dirname, "../fixtures/recordings");

test("the digest of a shell has its commands with exit codes, and says what the last turn was", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "work", "--", "bash", "--norc", "--noprofile");
  for (const command of ["echo hello > greeting.txt", "(exit 3)", "cat greeting.txt"]) {
    await home.client.call("sessions.exec", { session: "work", command });
    // The screen is read a moment after its bytes came.
    await until(async () => {
      const { messages } = await home.client.call("sessions.messages", { session: "work" });
      const last = messages.at(-1);
      return last?.shell?.command === command && !last.isPartial;
    }, `${command} is read`);
  }
  await home.ok("wait", "work", "--for", "status:waiting", "--timeout", "60s");
  const all = JSON.parse(await home.ok("digest", "work", "--json")) as OutputOf<"sessions.digest">;
  assert.deepEqual(
    all.commands.map(({ by, command, exitCode }) => [by, command, exitCode]),
    [
      ["shell", "echo hello > greeting.txt", 0],
      ["shell", "(exit 3)", 3],
      ["shell", "cat greeting.txt", 0],
    ],
  );
  assert.deepEqual(all.files, [{ name: "greeting.txt", times: 2 }]);
  assert.deepEqual([all.answer?.text, all.state, all.tokens], ["hello", "waiting", null]);
  const last = await home.ok("digest", "work", "--turn", "last");
  assert.match(last, /^Last turn\n {2}now waiting; [\s\S]+\n\nAsked\n {2}cat greeting\.txt\n\nAnswer\n {2}hello\n/);
  assert.match(last, /\nCommands\n {2}cat greeting\.txt \(exit 0\)\n\nFiles\n {2}greeting\.txt\n$/);
  assert.match(await home.ok("digest", "work", "--md"), /### Commands\n\n- echo hello > greeting\.txt \(exit 0\)\n/);
  assert.match(await home.fails("digest", "work", "--md", "--json"), /^2 /);
  assert.match(await home.fails("digest", "nothing"), /^3 /);
});

test("the digest of a recorded agent counts the tokens that its gateway wrote down", async () => {
  const home = await shared.empty();
  const cast = gunzipSync(readFileSync(join(recordings, "claude-main-80x24.cast.gz"))).toString();
  const [head = "", ...lines] = cast.trim().split("\n");
  const usage = {
    inputTokens: 1000,
    outputTokens: 50,
    cachedInputTokens: 800,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  };
  const turn = { model: "m", text: "", thinking: "", calls: [], refused: [], finish: "stop", status: 200, attempts: 1 };
  const times = { firstTokenMs: 100, durationMs: 300, error: null, cutChars: 0 };
  const marks = [
    [6.6, { type: "wire-request", exchange: "e1", dialect: "anthropic", model: "m", tools: 3, parts: [], cutChars: 0 }],
    [6.9, { type: "wire-turn", exchange: "e1", ...turn, ...times, usage, costUsd: 0.01 }],
  ].map(([seconds, mark]) => JSON.stringify([seconds, "m", JSON.stringify(mark)]));
  const isLater = (line: string): boolean => (JSON.parse(line) as [number])[0] > 6.6;
  const at = lines.findIndex((line) => isLater(line));
  const file = join(home.directory, "wired.cast");
  writeFileSync(file, [head, ...lines.slice(0, at), ...marks, ...lines.slice(at)].join("\n"));
  await home.ok("import", file, "--name", "wired");
  const digest = JSON.parse(await home.ok("digest", "wired", "--json")) as OutputOf<"sessions.digest">;
  assert.deepEqual(digest.tokens, {
    requests: 1,
    input: 1000,
    output: 50,
    cachedInput: 800,
    reasoning: 0,
    costUsd: 0.01,
  });
  assert.equal(digest.agent, "claude");
  assert.ok(digest.tools.some(({ name, calls }) => name === "Bash" && calls === 5));
  const last = JSON.parse(await home.ok("digest", "wired", "--json", "--turn", "last")) as OutputOf<"sessions.digest">;
  assert.deepEqual([last.tokens, last.request], [null, "cat out/marker.txt"]);
});
