/** The newest release of each agent, recorded against the scripted model: what is read in it that was not said, and what is not read. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { builtInAgents } from "../../src/core/agents/built-in-agents.ts";
import { isNewerRelease } from "../../src/core/agents/newer-release.ts";
import { measureChat, type GroundTruth } from "../chat-measure.ts";
import { castSteps, readCast } from "../chat-replay.ts";
import { messagesIn, replay } from "../session-replay.ts";
import { measureStatus } from "../status-truth.ts";
import { installedAgent, type AgentName } from "./installed-agents.ts";
import { recordAgent } from "./record/record-agent.ts";

const names: readonly AgentName[] = ["claude", "codex", "gemini", "opencode", "qwen", "pi", "copilot", "continue"];
/** A driver on a busy machine notes states late by as much. */
const STATUS_WRONG_MAX = 0.05;

for (const name of names)
  test(`the newest ${name} is read as it was recorded`, async (context) => {
    const installed = await installedAgent(name, { isNewest: true }).catch((error: Error) => error);
    if (installed instanceof Error)
      return context.skip(`${name} did not run, it cannot be installed: ${installed.message}`);
    const recorded = builtInAgents.named(name)?.file.recorded ?? "0";
    if (isNewerRelease(installed.version, recorded))
      context.diagnostic(
        `${name} ${installed.version} is newer than ${recorded}: record it, and write it into its file`,
      );
    const { cast, truth } = await recordAgent(name, "again", { columns: 100, rows: 32, isNewest: true });
    const { failed, ...known } = truth as GroundTruth & { readonly failed: string | null };
    assert.equal(failed, null);
    const directory = mkdtempSync(join(tmpdir(), "newest-"));
    context.after(() => rmSync(directory, { recursive: true }));
    const path = join(directory, name);
    writeFileSync(`${path}.cast`, cast);
    writeFileSync(`${path}.json`, JSON.stringify(truth));
    const read = readCast(`${path}.cast`);
    const messages = messagesIn(replay(read, { command: ["bash"], exits: true }));
    const { misses, silent, wrong } = measureChat(known, messages, castSteps(read));
    context.diagnostic(`${name} ${installed.version}: ${wrong} messages wrong, ${silent} of them silently`);
    assert.equal(silent, 0, misses.join("\n"));
    const status = measureStatus(path);
    assert.equal(status.missedBlocked, 0);
    assert.ok(status.wrong <= STATUS_WRONG_MAX * status.seconds, status.pieces.join("\n"));
  });
