import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { CliHome } from "./cli-home.ts";
import { SharedDaemon } from "../support/shared-daemon.ts";
import type { TemporaryDaemon } from "../support/temporary-daemon.ts";

const shared = new SharedDaemon();

/** A screen like that of Claude Code, but for the mark of its prompt; it shows the same until it is ended. */
const screen = String.raw`printf '\033[2J\033[H● Hello.\r\n\r\n%s\r\n§ \r\n%s\r\n  other words\033[4;3H' ──────────────── ────────────────; exec sleep 600`;

/** The status, once it has this state. */
async function untilState(daemon: TemporaryDaemon, session: string, state: "waiting") {
  await daemon.call("sessions.wait", { session, for: { type: "status", states: [state] }, timeoutMs: 60_000 });
  const { status } = await daemon.call("sessions.status", { session });
  assert.equal(status?.state, state);
  return status;
}

test("a file that mends one pattern of a built-in agent takes effect on a running session, and one with an error does not", async () => {
  const daemon = await shared.empty();
  const { agent, id } = await daemon.run(["sh", "-c", screen], { agent: "like:claude" });
  assert.equal(agent, "claude");
  await daemon.untilOutput(id, "other words");
  assert.notEqual((await daemon.call("sessions.status", { session: id })).status?.state, "waiting");
  const file = join(daemon.paths.agentsDirectory, "claude.yaml");
  writeFileSync(file, "name: claude\nboxes:\n  main:\n    prompt: '^§'\n");
  const status = await untilState(daemon, id, "waiting");
  assert.match(JSON.stringify(status.evidence), /"claude@\d+\+"/);
  writeFileSync(file, "name: claude\nboxes:\n  main:\n    promt: '^§'\n");
  while (!daemon.problems.some((line) => /claude\.yaml:4:5: Unknown key "promt": did you mean "prompt"\?/.test(line)))
    await delay(20);
  assert.equal((await daemon.call("sessions.status", { session: id })).status?.state, "waiting");
  assert.match((await daemon.call("daemon.info", {})).problems.join(), /Unknown key "promt"/);
});

test("what an agent is survives a restart of the daemon, and a name that is not known is refused with the nearest", async () => {
  const daemon = await shared.empty();
  writeFileSync(
    join(daemon.paths.agentsDirectory, "mine.yaml"),
    "name: mine\nextends: claude\nboxes:\n  main:\n    prompt: '^§'\n",
  );
  await daemon.restart();
  const { id } = await daemon.run(["sh", "-c", screen], { agent: "mine" });
  await untilState(daemon, id, "waiting");
  await daemon.restart();
  const { agent } = await daemon.call("sessions.get", { session: id });
  assert.equal(agent, "mine");
  await untilState(daemon, id, "waiting");
  await daemon.call("sessions.reindex", { session: id });
  await untilState(daemon, id, "waiting");
  await assert.rejects(daemon.run(["sh"], { agent: "like:claud" }), /Unknown agent "claud": did you mean "claude"\?/);
});

test("the file of an agent that nobody knows is enough to read it: lectern up --agents", async () => {
  await using home = new CliHome();
  const agents = join(home.directory, "agents");
  mkdirSync(agents);
  const copilot = readFileSync(join(import.meta.dirname, "../../src/core/agents/built-in/copilot.yaml"), "utf8");
  writeFileSync(join(agents, "mine.yaml"), copilot.replace("name: copilot", "name: mine"));
  // What Copilot drew up to its first question, whose dialog stood from second 11.3 to 11.8.
  const recording = join(import.meta.dirname, "../fixtures/recordings/copilot-asks-100x30.cast.gz");
  const [, ...lines] = gunzipSync(readFileSync(recording)).toString().trim().split("\n");
  const events = lines.map((line) => JSON.parse(line) as [number, string, string]);
  const drawn = events.filter(([seconds, type]) => type === "o" && seconds > 1.03 && seconds < 11.6);
  writeFileSync(join(home.directory, "drawn"), drawn.map(([, , text]) => text).join(""));
  await home.ok("up", "--detach", "--no-tcp", "--agents", agents);
  const program = "stty raw -echo; cat drawn; exec cat > drawn.keys";
  await home.ok(
    "run",
    "-d",
    "--agent",
    "mine",
    "--cols",
    "100",
    "--rows",
    "30",
    "--name",
    "m",
    "--",
    "sh",
    "-c",
    program,
  );
  await home.ok("wait", "m", "--for", "status:blocked", "--timeout", "60s");
  const { approvals } = await home.client.call("approvals.list", {});
  assert.equal(approvals.length, 1);
  assert.equal(approvals[0]?.agent, "mine");
  assert.match(JSON.stringify(approvals[0]), /printf 'built-%s/);
  assert.match(await home.ok("chat", "m"), /Please build-one it/);
});

test("agents show prints an agent of one's own and a changed one with all its rules", async () => {
  await using home = new CliHome();
  const folder = home.paths.agentsDirectory;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "zorp.yaml"), "name: zorp\nextends: claude\ncommands: [zorp]\n");
  assert.match(await home.ok("agents", "show", "codex"), /^# Codex/);
  assert.match(await home.ok("agents", "show", "zorp"), /zorp\.yaml[^]*name: zorp[^]*boxes:\n {2}main:/);
  writeFileSync(join(folder, "claude.yaml"), "name: claude\nboxes:\n  main:\n    prompt: '^§'\n");
  assert.match(await home.ok("agents", "show", "claude"), /claude\.yaml[^]*prompt: \^§[^]*chat:/);
  const { boxes } = JSON.parse(await home.ok("agents", "show", "zorp", "--json")) as { boxes: { main: unknown } };
  assert.match(JSON.stringify(boxes.main), /\^§/);
  assert.match(await home.fails("agents", "show", "zor"), /Cannot find the agent "zor": did you mean "zorp"\?/);
  assert.match(await home.fails("agents", "show", "claude", "codex"), /wanted one NAME, found 2/);
  assert.match(await home.fails("agents", "list", "extra"), /unexpected "extra"/);
});

test("of a file with many problems the first are named, and how many more there are", async () => {
  await using home = new CliHome();
  mkdirSync(home.paths.agentsDirectory, { recursive: true });
  const file = join(home.paths.agentsDirectory, "bomb.yaml");
  writeFileSync(file, `name: bomb\ntitle: &a x\ncommands: [${Array.from({ length: 30 }, () => "*a").join(", ")}]\n`);
  const lines = (await home.fails("agents", "check")).split("\n").filter((line) => line.includes("bomb.yaml"));
  assert.equal(lines.length, 6);
  assert.match(lines[5] ?? "", /and \d+ more$/);
});

test("a program says the agent by name: generic is one, the path of a file is not", async () => {
  const daemon = await shared.empty();
  await assert.rejects(
    daemon.run(["sh"], { agent: "./x.yaml" }),
    /Unknown agent "\.\/x\.yaml": a name is wanted; files are read from ".*agents", see "lectern agents check"/,
  );
  await assert.rejects(daemon.run(["sh"], { agent: "qqqqqq" }), /the agents are .*, generic/);
  assert.equal((await daemon.run(["sh"], { agent: "like:generic" })).agent, "generic");
});

test("an agent file counts at once in a session that is quiet", async () => {
  const daemon = await shared.empty();
  const program = join(daemon.paths.dataDirectory, "zorp");
  const drawn = String.raw`printf '\033]2;my title\007====\r\n> \r\n====\033[2;3H'; exec sleep 600`;
  writeFileSync(program, `#!/bin/sh\n${drawn}\n`, { mode: 0o755 });
  const { id } = await daemon.run([program]);
  await daemon.untilOutput(id, "====");
  const text = `name: zorp
commands: [zorp]
boxes:
  main: { top: "^=+$", prompt: "^>", bottom: "^=+$", rowsMax: 3, rowsBelowMax: 1 }
screen:
  box: { in: top, rows: 1, pattern: "=", state: waiting }
`;
  writeFileSync(join(daemon.paths.agentsDirectory, "zorp.yaml"), text);
  assert.equal((await untilState(daemon, id, "waiting")).agent, "zorp");
});
