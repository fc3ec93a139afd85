/** A daemon that was killed comes back by itself, for agents that reach their model through it. */
import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { isRunning } from "../../src/pty/proc-files.ts";
import { bodyOf } from "../support/model-requests.ts";
import { questionIn } from "../support/question-in.ts";
import { ScriptedModel } from "../support/scripted-model/scripted-model.ts";
import { CliHome } from "./cli-home.ts";

const WAIT_MS_MAX = 120_000;
const POLL_MS = 20;

/** Asks the model once for each line, again and again while the connection fails, as the SDKs of the vendors do. */
const agent = `
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
console.log("ready");
for await (const line of createInterface({ input: process.stdin })) {
  for (;;) {
    try {
      const response = await fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", {
        method: "POST", headers: { "content-type": "application/json" },
        body: JSON.stringify({ ...${JSON.stringify(bodyOf("anthropic", false))}, messages: [{ role: "user", content: line }] }),
      });
      const { content, error } = await response.json();
      console.log(error ? "error " + error.message : content.map((block) => block.text ?? "call of " + block.name).join(" | "));
      break;
    } catch { await sleep(100); }
  }
}
`;

const policy = `
version: 1
default: allow
rules:
  - { id: ask-push, effect: ask, tool: shell, arguments: [{ at: /command, glob: "git push*" }] }
`;

const push = { name: "shell", arguments: { command: "git push" } };

/** Resolves when there is a value. */
async function until<Value>(what: string, find: () => Promise<Value | undefined> | Value | undefined): Promise<Value> {
  for (const deadline = Date.now() + WAIT_MS_MAX; Date.now() < deadline;) {
    const found = await find();
    if (found !== undefined && found !== false) return found;
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
  throw new Error(`Waited ${WAIT_MS_MAX} ms for ${what}`);
}

async function startAgent(home: CliHome, model: ScriptedModel): Promise<void> {
  writeFileSync(join(home.directory, "agent.mjs"), agent);
  writeFileSync(join(home.directory, "policy.yaml"), policy);
  const wire = ["--wire", "--policy", "policy.yaml", "--upstream", `anthropic=${model.url}`];
  await home.ok("run", "-d", "-n", "work", ...wire, "--", process.execPath, join(home.directory, "agent.mjs"));
  await untilPrinted(home, "ready", 0);
}

async function untilPrinted(home: CliHome, pattern: string, from?: number): Promise<void> {
  const printed = { type: "output", pattern } as const;
  const found = await home.client.call("sessions.wait", { session: "work", for: printed, ...(from === 0 && { from }) });
  assert.equal(found.reason, "output", pattern);
}

/** Kills the daemon as a crash would; resolves with the pid of the one that comes by itself: no command is run here. */
async function killedAndBack(home: CliHome): Promise<number> {
  const before = (await home.info())?.pid;
  await home.crashDaemon();
  return until("the next daemon", async () => {
    const pid = (await home.info())?.pid;
    return pid === before ? undefined : pid;
  });
}

test("a killed daemon comes back by itself, and the agent whose call was held goes on", async (context) => {
  await using model = await ScriptedModel.start({
    turns: [
      { say: "One", calls: [push] },
      { say: "Two", calls: [push] },
    ],
  });
  await using home = new CliHome();
  await startAgent(home, model);
  const { port } = JSON.parse(readFileSync(home.paths.gatewayFile, "utf8")) as { readonly port: number };
  await home.ok("send", "work", "go", "--enter");
  const asked = await questionIn(home.client);

  const killedMs = performance.now();
  await killedAndBack(home);
  context.diagnostic(`a daemon answers ${Math.round(performance.now() - killedMs)} ms after the kill`);
  assert.deepEqual(JSON.parse(readFileSync(home.paths.gatewayFile, "utf8")), { port });
  const question = await until("the question of the repeated request", async () => {
    const [found] = (await home.client.call("approvals.list", {})).approvals;
    return found;
  });
  assert.notEqual(question.id, asked.id);
  await home.ok("approve", "work", question.id);
  await untilPrinted(home, "Two \\| call of shell", 0);
  assert.ok(!existsSync(home.paths.restartsFile));

  // The question of the killed daemon is closed, and the call whose result never came is once its session has ended.
  await home.ok("kill", "work");
  await until("the last row", async () => (/ unknown /.test(await home.ok("audit", "--all")) ? true : undefined));
  assert.match(await home.ok("audit", "--all"), /answered deny by abandoned[^]*unknown \(the session ended first\)/);
  assert.doesNotMatch(await home.ok("audit", "open"), /undecided|unfinished/);

  // A journal keeps the head of the log.
  assert.match(await home.ok("audit", "verify"), /is intact[^]*It agrees with \d+ heads in the journals/);
  await home.ok("down");
  rmSync(home.paths.auditDirectory, { recursive: true });
  assert.match(await home.fails("audit", "verify"), /^1 lectern: The audit row 1 was removed: session \w+ recorded/);
});

test("a daemon that a person started comes back where it listened, and lectern up replaces it", async () => {
  await using model = await ScriptedModel.start({ turns: [] });
  await using home = new CliHome();
  const { listen } = JSON.parse(await home.ok("up", "--detach", "--port", "0", "--json")) as {
    readonly listen: string[];
  };
  assert.equal(listen.length, 2);
  await startAgent(home, model);
  const next = await killedAndBack(home);
  const back = await until("both addresses", async () => {
    const info = await home.info();
    return info?.listen.length === 2 ? info : undefined;
  });
  assert.equal(back.pid, next);
  await home.ok("up", "--detach", "--no-tcp");
  assert.notEqual((await home.info())?.pid, next);
  // It ended as it should, so it does not come back: the next one is the one that the next command starts.
  await home.ok("down");
  assert.equal(await home.info(), undefined);
  assert.equal(readFileSync(home.paths.endedFile, "utf8"), "");
});

test("a daemon that fails at its start is started again with growing delays, and doctor says why it fails", async () => {
  await using model = await ScriptedModel.start({ turns: [] });
  await using home = new CliHome();
  await startAgent(home, model);
  const pid = (await home.info())?.pid ?? 0;
  // A daemon uses no directory that others can read.
  chmodSync(home.paths.dataDirectory, 0o755);
  process.kill(pid, "SIGKILL");
  await until("the end of the daemon", () => (isRunning(pid) ? undefined : true));
  await until("the report", () => (existsSync(home.paths.restartsFile) ? true : undefined));
  const { stdout } = await home.run(["doctor"]);
  assert.match(stdout, /daemon +not running since .*, after \d+ starts: Cannot use .*; it is started again/);
  chmodSync(home.paths.dataDirectory, 0o700);
  await until("the daemon", () => home.info());
  assert.ok(!existsSync(home.paths.restartsFile));
});

test("doctor reports a port of the gateway that another program took while no daemon ran", async () => {
  await using model = await ScriptedModel.start({ turns: [] });
  await using home = new CliHome();
  await startAgent(home, model);
  const { port } = JSON.parse(readFileSync(home.paths.gatewayFile, "utf8")) as { readonly port: number };
  await home.ok("down");
  const thief = createServer((socket) => socket.destroy());
  await new Promise<void>((listening) => thief.listen(port, "127.0.0.1", listening));
  try {
    await home.ok("ls");
    const { stdout } = await home.run(["doctor"]);
    assert.match(stdout, new RegExp(`Another program listens on port ${port}, where the gateway was`));
  } finally {
    thief.close();
  }
});
