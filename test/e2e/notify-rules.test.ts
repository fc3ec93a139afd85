/** Notices of the kinds "done", "limit" and "away", and what a notice that was not sent costs the next one: real programs and daemons. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { configuredDaemon } from "../support/configured-daemon.ts";
import { NoticeReceiver } from "../support/notice-receiver.ts";
import { SharedDaemon } from "../support/shared-daemon.ts";
import { SocketMachines } from "../support/socket-machines.ts";
import type { TemporaryDaemon } from "../support/temporary-daemon.ts";
import { until } from "../support/until.ts";
import { CliHome } from "./cli-home.ts";

const shared = new SharedDaemon();

const settingsFor = (host: string, on: readonly string[]): object => ({
  notify: {
    channels: { hook: { kind: "webhook", url: `http://${host}/` } },
    rules: [{ on, after: "0s", content: "question", presence: false, to: ["hook"] }],
    privateTargets: [host],
  },
});

interface Body {
  readonly type: string;
  readonly data: { readonly title: string; readonly body: string; readonly node: string | null };
}
const bodiesOf = ({ received }: NoticeReceiver): Body[] => received.map(({ body }) => JSON.parse(body) as Body);
const noticesOf = async (daemon: TemporaryDaemon) => (await daemon.call("notify.list", {})).notices;

/** Draws the screen of Claude Code: at rest, and after a key that it works, is done, or has reached its limit. */
const agent = `#!/usr/bin/env python3
import sys, tty
tty.setraw(0)
shown = {
  "": ("● hi", "? for shortcuts"),
  "w": ("✻ Thinking… (3s)", "esc to interrupt"),
  "d": ("● done", "? for shortcuts"),
  "l": ("  ⎿  You've hit your limit · resets 5:19am (Europe/Berlin)", "? for shortcuts"),
}
key, rule = "", "─" * 78
while True:
  above, footer = shown.get(key, shown[""])
  print(f"\\x1b[?2026h\\x1b[H\\x1b[2J\\x1b[?25l{above}\\r\\n{rule}\\r\\n❯ \\r\\n{rule}\\r\\n  {footer}\\x1b[?2026l", end="", flush=True)
  key = sys.stdin.read(1)
`;

test("the end of an agent's turn is reported, and so is its usage limit with the time", async () => {
  await using receiver = await NoticeReceiver.start();
  const daemon = await shared.empty(settingsFor(receiver.host, ["done", "limit"]));
  const program = join(daemon.paths.dataDirectory, "bin", "claude");
  mkdirSync(join(program, ".."));
  writeFileSync(program, agent, { mode: 0o755 });
  // In sessions of their own: notices of one are apart.
  for (const name of ["work", "limited"]) await daemon.run([program], { name });
  const press = async (session: string, key: string): Promise<unknown> =>
    await daemon.call("sessions.input", { session, text: key });
  const stateIs = (session: string, wanted: string) => async (): Promise<boolean> =>
    (await daemon.call("sessions.get", { session })).status?.state === wanted;
  await until(stateIs("work", "waiting"));
  await press("work", "w");
  await until(stateIs("work", "working"));
  await press("work", "d");
  await until(() => receiver.received.length === 1);
  await until(stateIs("limited", "waiting"));
  await press("limited", "l");
  await until(() => receiver.received.length === 2);
  const bodies = bodiesOf(receiver);
  assert.deepEqual(
    bodies.map(({ data: { title }, type }) => [type, title]),
    [
      ["session.done", "work is done (claude)"],
      ["session.limit", "limited waits for its usage limit (claude)"],
    ],
  );
  assert.match(bodies[1]?.data.body ?? "", /^limit until (?:\d{4}-\d\d-\d\d )?0[34]:19 UTC$/);
});

test("a machine that is away is reported once for each outage, and again by no later daemon", async () => {
  await using receiver = await NoticeReceiver.start();
  await using box = new CliHome();
  await box.startDaemon("--no-tcp");
  const machines = new SocketMachines();
  machines.add("box", box.paths.daemonSocket);
  await using daemon = await configuredDaemon(settingsFor(receiver.host, ["away"]), { machines });
  const stateIs = (wanted: string) => async (): Promise<boolean> =>
    (await daemon.call("machines.list", {})).machines[0]?.state === wanted;
  await until(stateIs("connected"));
  assert.deepEqual(await noticesOf(daemon), []);
  await box.crashDaemon();
  await until(() => receiver.received.length === 1);
  const [body] = bodiesOf(receiver);
  assert.deepEqual([body?.type, body?.data.title, body?.data.node], ["machine.away", "box is away", "box"]);
  await daemon.close();
  // The next daemon finds it away at another time, as it does where ssh or the cluster leads to it.
  machines.add("box", box.paths.daemonSocket);
  await daemon.open();
  await until(stateIs("away"));
  await box.startDaemon("--no-tcp");
  await until(stateIs("connected"));
  assert.equal((await noticesOf(daemon)).length, 1);
  await box.crashDaemon();
  await until(() => receiver.received.length === 2);
  assert.equal(receiver.counts.size, 2);
});

const QUESTIONS = `for n in 1 2; do read -rp "Remove part $n? [y/N] " answer; echo "answer-$n"; done; read -r`;

test("a question that was answered before its notice went out does not make the next one wait", async () => {
  // Longer than the test may take: a notice that waited for it would not come.
  await using daemon = await configuredDaemon({}, { times: { noticeGapMs: 3_600_000 } });
  const gate = join(daemon.paths.dataDirectory, "gate");
  const command = ["sh", "-c", 'while [ ! -e "$0" ]; do sleep 0.05; done', gate];
  const settings = {
    channels: { slow: { kind: "command", command, timeout: "10m" } },
    rules: [{ on: ["blocked"], after: "0s", content: "question", presence: false, to: ["slow"] }],
  };
  writeFileSync(join(daemon.paths.dataDirectory, "lectern.yaml"), JSON.stringify({ notify: settings }));
  await daemon.call("daemon.reload", {});
  await daemon.run(["bash", "--norc", "-c", "read -rp 'Go on? [y/N] ' answer; read -r"], { name: "first" });
  await until(async () => (await noticesOf(daemon)).length === 1);
  const { id } = await daemon.run(["bash", "--norc", "-c", QUESTIONS], { name: "parts" });
  await until(async () => (await noticesOf(daemon)).length === 2);
  await daemon.call("sessions.input", { session: id, text: "y\r" });
  await until(async () =>
    (await daemon.call("approvals.list", {})).approvals.some(({ question }) => question.includes("part 2")),
  );
  writeFileSync(gate, "");
  const own = async () => (await noticesOf(daemon)).filter(({ session }) => session === id).toReversed();
  await until(async () => (await own()).length === 2 && (await own()).every(({ state }) => state !== "pending"));
  const [before, after] = await own();
  assert.deepEqual([before?.state, after?.state], ["withdrawn", "sent"]);
});
