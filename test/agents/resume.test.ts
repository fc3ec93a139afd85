/**
 * Real agents go on with their own conversations after a simulated reboot: two of a kind work in one directory at the same time, and then
 * their host, the daemon and they themselves are killed, and the sockets are removed. What the model is sent afterwards shows whose
 * conversation it is. One of them has begun anew before, the other does so afterwards. `AGENTS=claude,gemini` names fewer.
 */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { test } from "node:test";
import type { Session } from "../../src/protocol/session.ts";
import { CliHome, gone } from "../e2e/cli-home.ts";
import { until } from "../support/until.ts";
import { ScriptedModel } from "../support/scripted-model/scripted-model.ts";
import { AgentHome } from "./agent-home.ts";
import { installedAgent, type AgentName } from "./installed-agents.ts";

const WAIT_MS_MAX = 180_000;
const names = (process.env["AGENTS"]?.split(",") ?? [
  "claude",
  "codex",
  "gemini",
  "opencode",
  "qwen",
  "pi",
  "copilot",
]) as readonly AgentName[];
const words = ["armadillo", "zeppelin"] as const;
/** Begins another conversation. */
const anew: Partial<Record<AgentName, string>> = {
  claude: "/clear",
  copilot: "/clear",
  codex: "/new",
  gemini: "/clear",
  opencode: "/new",
  qwen: "/clear",
};
const unknownId = (name: AgentName): string =>
  name === "opencode" ? `ses_${"0".repeat(26)}` : "00000000-0000-4000-8000-000000000000";

for (const name of names) {
  test(`${name} goes on with its own conversation after a reboot, beside another one in the same directory`, async () => {
    await using lectern = new CliHome();
    await lectern.ok("run", "-d", "--", "true");
    await using model = await ScriptedModel.start({ turns: [], aside: "A title", fallback: { say: "Fine, noted." } });
    using home = new AgentHome(await installedAgent(name), model.url);
    const start = { workingDirectory: home.workingDirectory, environment: home.environment(), columns: 100, rows: 30 };
    const call = lectern.client.call.bind(lectern.client);
    const begin = async (word: string): Promise<Session> => {
      const command = home.interactive();
      const session = await call("sessions.create", { ...start, command, name: word, labels: { word } });
      await waiting(lectern, session.id);
      return session;
    };
    const said = async ({ id }: Session, word: string, before?: string): Promise<string> => {
      await prompted(lectern, id, `Remember the word ${word} please`);
      return await conversationOf(lectern, id, before);
    };
    // Both run at the same time; an agent that starts on a machine without a processor loses its first prompt.
    const first = await begin(words[0]);
    // Before the other one: a Gemini that starts removes the files of conversations in which nothing was said, also of those that run.
    const known = [await said(first, words[0])];
    const second = await begin(words[1]);
    const sessions = [first, second];
    const left = await said(second, "walrus");
    await prompted(lectern, second.id, anew[name] ?? "/new");
    known.push(await said(second, words[1], left));
    assert.equal(new Set([...known, left]).size, 3, String([...known, left]));

    await reboot(lectern, sessions);
    const plan = await lectern.run(["resume", "--all", "--lost", "--dry-run", "--json"], { env: home.environment() });
    const plans = JSON.parse(plan.stdout) as { name: string; action: string; conversation: string }[];
    assert.deepEqual(plans.map(({ action, name: of }) => `${action} ${of}`).toSorted(), [
      "resume armadillo",
      "resume zeppelin",
    ]);
    const resumed = await lectern.run(["resume", "--all", "--lost"], { env: home.environment() });
    assert.equal(resumed.code, 0, resumed.stderr + resumed.stdout);

    for (const [index, word] of words.entries()) {
      const session = await call("sessions.get", { session: word });
      assert.equal(session.continues, sessions[index]?.id);
      assert.equal(session.labels["word"], word);
      assert.equal((await call("sessions.get", { session: sessions[index]?.id ?? "" })).continuedBy, session.id);
      await waiting(lectern, session.id);
      const before = model.requests.length;
      await prompted(lectern, session.id, "Which word was it?");
      // Without a processor opencode sends its request long after it has taken the prompt.
      const sent = (): string[] =>
        model.requests
          .slice(before)
          .map(({ body }) => JSON.stringify(body ?? ""))
          .filter((text) => text.includes("Which word was it?") && text.includes("Remember the word"));
      await until(() => Promise.resolve(sent().length > 0), "the model is sent the turns of the conversation");
      const turn = sent().join("\n");
      assert.ok(turn.includes(`Remember the word ${word}`), word);
      assert.ok(!turn.includes(words[1 - index] ?? ""), `${word}: it has the conversation of the other one`);
      assert.ok(!turn.includes("walrus"), `${word}: it has a conversation that was left`);
      assert.equal(await conversationOf(lectern, session.id), known[index]);
    }

    // Begun anew, and nothing said: neither that one nor the one before is its own.
    const again = await call("sessions.get", { session: words[0] });
    await prompted(lectern, again.id, anew[name] ?? "/new");
    await until(async () => {
      const { messages } = await call("sessions.messages", {
        session: again.id,
        roles: ["conversation-start", "user", "command"],
      });
      return messages.at(-1)?.role !== "user";
    }, "it shows that it was begun anew");
    process.kill(again.pid ?? 0, "SIGKILL");
    await call("sessions.wait", { session: again.id, for: { type: "exit" }, timeoutMs: WAIT_MS_MAX });
    const resume = async (...more: string[]) =>
      await lectern.run(["resume", "-d", ...more, again.id], { env: home.environment() });
    const unsaid = await resume();
    assert.match(unsaid.stderr, /nothing was said.*--(?:conversation|restart)/);
    const forgotten = await resume("--conversation", unknownId(name));
    assert.match(forgotten.stderr, /has forgotten .*--restart/);
    const { sessions: all } = await call("sessions.list", { state: "running" });
    assert.deepEqual(
      all.map(({ name: of }) => of),
      [words[1]],
    );
  });
}

async function waiting(lectern: CliHome, session: string): Promise<void> {
  const { session: found } = await lectern.client.call("sessions.wait", {
    session,
    for: { type: "status", states: ["waiting", "exited"] },
    timeoutMs: WAIT_MS_MAX,
  });
  const { text } = await lectern.client.call("sessions.screen", { session });
  assert.equal(found.status?.state, "waiting", text);
}

async function prompted(lectern: CliHome, session: string, text: string): Promise<void> {
  const receipt = await lectern.client.call("sessions.prompt", { session, text, waitMs: WAIT_MS_MAX });
  assert.equal(receipt.state, "done", receipt.reason ?? "");
}

/** Once it was learned; another one than `before`. */
async function conversationOf(lectern: CliHome, session: string, before?: string): Promise<string> {
  for (const deadline = Date.now() + WAIT_MS_MAX; ;) {
    const { conversation, name } = await lectern.client.call("sessions.get", { session });
    if (conversation !== null && conversation.id !== before) return conversation.id;
    assert.ok(Date.now() < deadline, `the conversation of ${name} was not learned`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** Everything goes at once, and nothing of it is told. */
async function reboot(lectern: CliHome, sessions: readonly Session[]): Promise<void> {
  const info = await lectern.info();
  assert.ok(info);
  const pids = [info.pid, ...info.hosts.map(({ pid }) => pid), ...sessions.flatMap(({ pid }) => pid ?? [])];
  for (const pid of pids) process.kill(pid, "SIGKILL");
  await Promise.all(pids.map(gone));
  rmSync(lectern.paths.runtimeDirectory, { recursive: true, force: true });
}
