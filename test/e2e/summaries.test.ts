/** Summaries as events: at the end of each turn and at the exit, once, also when the daemon crashes in between. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Digest } from "../../src/core/digest/digest.ts";
import type { TaggedEvent } from "../../src/core/events/tagged-event.ts";
import { lecternCommand } from "../support/launcher.ts";
import { SharedHome, type CliHome } from "./cli-home.ts";

const shared = new SharedHome();

const WAIT_MS_MAX = 60_000;

const digestOf = (event: TaggedEvent): Digest => (event.valid ? event.payload : {}) as Digest;

async function summariesOf(home: CliHome): Promise<TaggedEvent[]> {
  const { events } = await home.client.call("sessions.events", { session: "work", trust: "derived" });
  return [...events];
}

/** Runs a command, and waits for the summary of its turn. */
async function runTurn(home: CliHome, command: string): Promise<void> {
  const { offset } = await home.client.call("sessions.exec", { session: "work", command });
  const { reason } = await home.client.call("sessions.wait", {
    session: "work",
    for: { type: "event", name: "TURN_SUMMARY", trust: "derived" },
    from: offset,
    timeoutMs: WAIT_MS_MAX,
  });
  assert.equal(reason, "event");
}

const requestsOf = (events: readonly TaggedEvent[]): (string | null)[] =>
  events.map((event) => digestOf(event).request);

test("a session with --summaries has one event for each turn and one for its exit, also after a crash of the daemon", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--summaries", "--name", "work", "--", "bash", "--norc", "--noprofile");
  assert.match(await home.ok("info", "work"), /Summaries +at the end of each turn/);
  await runTurn(home, "echo one > file.txt");
  await runTurn(home, "(exit 3)");
  const before = await summariesOf(home);
  assert.deepEqual(requestsOf(before), ["echo one > file.txt", "(exit 3)"]);

  await home.crashDaemon();
  await home.ok("ls");
  assert.deepEqual(await summariesOf(home), before);
  await runTurn(home, "cat file.txt");
  await home.ok("reindex", "work");
  const [first, second, third, ...others] = await summariesOf(home);
  assert.deepEqual([first, second, others], [...before, []]);
  assert.ok(third !== undefined);
  assert.deepEqual([digestOf(third).request, digestOf(third).answer?.text], ["cat file.txt", "one"]);

  await home.client.call("sessions.exec", { session: "work", command: "exit 4" });
  await home.client.call("sessions.wait", { session: "work", for: { type: "exit" }, timeoutMs: WAIT_MS_MAX });
  await home.crashDaemon();
  await home.ok("ls");
  const last = (await summariesOf(home)).at(-1);
  assert.ok(last !== undefined);
  assert.deepEqual([last.name, last.id, digestOf(last).state], ["SESSION_SUMMARY", "summary:exit", "exited"]);
  assert.deepEqual(
    digestOf(last)
      .commands.slice(0, 3)
      .map(({ command, exitCode }) => [command, exitCode]),
    [
      ["echo one > file.txt", 0],
      ["(exit 3)", 3],
      ["cat file.txt", 0],
    ],
  );
  // On demand it does not list the events that repeat it.
  assert.deepEqual((await home.client.call("sessions.digest", { session: "work" })).events, []);
  const lines = (await home.ok("events", "work", "--name", "TURN_SUMMARY")).trimEnd().split("\n");
  assert.equal(lines.filter((line) => /^TURN_SUMMARY {2}derived {2}\{"turn":"last"/.test(line)).length, lines.length);
});

test("a model opens a session with summaries and waits for them", async () => {
  const home = await shared.empty();
  const mcp = new Client({ name: "tests", version: "1.0.0" });
  await mcp.connect(new StdioClientTransport({ command: lecternCommand, args: ["mcp"], env: { ...home.environment } }));
  try {
    const call = async (name: string, input: object): Promise<string> =>
      JSON.stringify(await mcp.callTool({ name, arguments: { ...input } }));
    await call("open", { command: ["bash", "--norc", "--noprofile"], name: "work", summaries: true });
    await call("run", { session: "work", command: "echo hello" });
    const waited = await call("wait", { session: "work", for: "event", event: "TURN_SUMMARY", timeoutMs: 55_000 });
    assert.match(waited, /\\"name\\":\\"TURN_SUMMARY\\".*\\"request\\":\\"echo hello\\"/);
  } finally {
    await mcp.close();
  }
});
