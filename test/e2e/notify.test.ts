/** Notices of a real daemon about real programs, to real HTTP servers on loopback that the settings name. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { configuredDaemon, reconfigure, serverOf } from "../support/configured-daemon.ts";
import { NoticeReceiver } from "../support/notice-receiver.ts";
import { SharedDaemon } from "../support/shared-daemon.ts";
import { TemporaryDaemon } from "../support/temporary-daemon.ts";
import { until } from "../support/until.ts";

const shared = new SharedDaemon();

interface Rule {
  readonly on?: readonly string[];
  readonly after?: string;
  readonly content?: string;
  readonly presence?: boolean;
}

const settingsFor = (host: string, rule: Rule = {}, channel: object = { kind: "webhook", answers: true }): object => ({
  notify: {
    channels: { hook: { url: `http://${host}/hook`, ...channel } },
    rules: [{ on: ["blocked", "done", "failed"], after: "0s", content: "question", ...rule, to: ["hook"] }],
    privateTargets: [host],
    publicUrl: "http://box.example",
  },
});

interface Body {
  readonly type: string;
  readonly data: {
    readonly title: string;
    readonly body: string;
    readonly session: { readonly name: string } | null;
    readonly question: {
      readonly options: readonly { readonly effect: string; readonly answerUrl: string | null }[];
    } | null;
  };
}
const bodiesOf = ({ received }: NoticeReceiver): Body[] => received.map(({ body }) => JSON.parse(body) as Body);

const ask = (script: string): string[] => ["bash", "--norc", "-c", script];
const QUESTION = `read -rp 'Remove all files? [y/N] ' answer; echo "answer=$answer"; read -r`;

const noticesOf = async (daemon: TemporaryDaemon) => (await daemon.call("notify.list", {})).notices;

test("a question is reported once, and its link answers it once; who taps again is told who answered", async () => {
  await using receiver = await NoticeReceiver.start();
  const daemon = await shared.empty(settingsFor(receiver.host));
  const { id } = await daemon.run(ask(QUESTION), { name: "files" });
  await until(() => receiver.received.length > 0);
  const [body] = bodiesOf(receiver) as [Body];
  assert.equal(body.type, "session.blocked");
  assert.match(body.data.body, /Remove all files\?/);
  const links = body.data.question?.options.map(({ answerUrl, effect }) => [
    effect,
    answerUrl?.split("/").at(-1) ?? "",
  ]);
  const tokens = new Map(links as [string, string][]);
  const { answerLink } = daemon.running.service;
  const token = tokens.get("allow") ?? "";
  assert.deepEqual(await answerLink(token, false), { type: "ask", question: "Remove all files? [y/N]", label: "y" });
  const first = await answerLink(token, true);
  assert.match(first.type === "end" ? first.text : "", /^Answered: y \(webhook \(hook\), \d\d:\d\d UTC\)$/);
  await until(async () => (await daemon.outputOf(id)).includes("answer=y"));
  for (const again of [token, tokens.get("deny") ?? ""]) {
    const second = await answerLink(again, true);
    assert.equal(second.type === "end" && second.status, 409);
    assert.match(second.type === "end" ? second.text : "", /^Answered.*y \(webhook \(hook\), /);
  }
  assert.equal(receiver.counts.size, 1);
});

test("what was answered before the notice was due goes nowhere, and what a person has seen neither", async () => {
  await using receiver = await NoticeReceiver.start();
  const daemon = await shared.empty(settingsFor(receiver.host, { on: ["blocked"], after: "1h" }));
  const { id } = await daemon.run(ask(QUESTION), { name: "files" });
  const seen = await daemon.run(ask(QUESTION), { name: "seen" });
  await until(async () => (await daemon.call("approvals.list", {})).approvals.length === 2);
  await daemon.call("sessions.seen", { session: seen.id });
  await daemon.call("sessions.input", { session: id, text: "y\r" });
  await until(async () => (await daemon.call("approvals.list", {})).approvals.length === 1);
  await reconfigure(daemon, settingsFor(receiver.host, { on: ["blocked"] }));
  await until(async () => (await noticesOf(daemon)).length > 0);
  const notices = await noticesOf(daemon);
  assert.deepEqual(
    notices.map(({ reason, session, state }) => [session, state, reason]),
    [[seen.id, "withdrawn", "A person has seen it in Lectern"]],
  );
  assert.deepEqual(receiver.received, []);
});

test("a daemon that was killed before its notice goes on with it: each question is delivered once, under one id", async () => {
  await using receiver = await NoticeReceiver.start();
  const daemon = await shared.empty(settingsFor(receiver.host));
  receiver.status = 500;
  await daemon.run(ask(QUESTION), { name: "files" });
  // A failure that the daemon has not heard of is no attempt: the next one sends it again by itself.
  await until(async () => ((await noticesOf(daemon))[0]?.attempts ?? 0) > 0);
  receiver.status = 204;
  const before = receiver.received.length;
  await daemon.restart();
  const pending = (await noticesOf(daemon)).filter(({ state }) => state === "pending");
  await daemon.call("notify.retry", { ids: pending.map(({ id }) => id) });
  await until(async () => (await noticesOf(daemon)).every(({ state }) => state === "sent"));
  assert.equal(receiver.counts.size, 1);
  assert.equal(receiver.received.length, before + 1);
  await daemon.restart();
  await daemon.call("notify.list", {});
  assert.equal((await noticesOf(daemon)).length, 1);
  assert.equal(receiver.received.length, before + 1);
});

test("a program that fails is reported with its exit code; one that a person ended, or that ended well, is not", async () => {
  await using receiver = await NoticeReceiver.start();
  const daemon = await shared.empty(settingsFor(receiver.host));
  const killed = await daemon.run(["sleep", "600"], { name: "killed" });
  await daemon.call("sessions.kill", { session: killed.id, graceMs: 100 });
  await daemon.run(["true"], { name: "well" });
  await daemon.run(ask("exit 3"), { name: "wrong" });
  await until(() => receiver.received.length > 0);
  assert.deepEqual(
    bodiesOf(receiver).map(({ data, type }) => [type, data.session?.name, data.body]),
    [["session.failed", "wrong", "Exit code 3"]],
  );
});

test("a new channel begins with now: what failed before is not news there, in no later daemon either", async () => {
  await using receiver = await NoticeReceiver.start();
  const daemon = await shared.empty();
  const stateIs = async (session: string, wanted: string): Promise<boolean> =>
    (await daemon.call("sessions.get", { session })).state === wanted;
  await daemon.run(ask("exit 3"), { name: "long-ago" });
  await until(async () => await stateIs("long-ago", "exited"));
  await daemon.run(ask(QUESTION), { name: "open" });
  await until(async () => (await daemon.call("approvals.list", {})).approvals.length === 1);
  await reconfigure(daemon, settingsFor(receiver.host));
  await until(() => receiver.received.length === 1);
  await daemon.restart();
  await daemon.run(ask("exit 4"), { name: "now" });
  await until(() => receiver.received.length === 2);
  assert.deepEqual(
    bodiesOf(receiver).map(({ data, type }) => [type, data.session?.name]),
    [
      ["session.blocked", "open"],
      ["session.failed", "now"],
    ],
  );
});

test("a target that does not exist any more is disabled, and used again after a test that arrives", async () => {
  await using receiver = await NoticeReceiver.start(410);
  await using daemon = await configuredDaemon(settingsFor(receiver.host));
  await daemon.run(ask(QUESTION), { name: "files" });
  await until(async () => (await noticesOf(daemon))[0]?.state === "dead");
  const { channels } = await daemon.call("notify.list", {});
  assert.match(channels[0]?.disabled ?? "", /answered 410/);
  const failed = await daemon.call("notify.test", { channel: "hook" });
  assert.deepEqual([failed.sent, failed.hasLinks], [false, true]);
  receiver.status = 200;
  assert.equal((await daemon.call("notify.test", { channel: "hook" })).sent, true);
  assert.equal((await daemon.call("notify.list", {})).channels[0]?.disabled, null);
  await daemon.call("notify.retry", {});
  await until(async () => (await noticesOf(daemon))[0]?.state === "sent");
});

test("a session's own command gets its questions, without any configuration and outside of the session", async () => {
  await using daemon = await TemporaryDaemon.start();
  const file = join(daemon.paths.dataDirectory, "asked");
  const onBlocked = ["sh", "-c", `cat > "$0.new"; echo "session=$LECTERN_SESSION" >> "$0.new"; mv "$0.new" "$0"`, file];
  await daemon.run(ask(QUESTION), { name: "files", onBlocked });
  await until(() => existsSync(file));
  const [json = "", session] = readFileSync(file, "utf8").trim().split("\n");
  assert.equal((JSON.parse(json) as Body).data.session?.name, "files");
  assert.equal(session, "session=");
});

test("a flood of questions that come and go gives its first and its last notice", async () => {
  await using receiver = await NoticeReceiver.start();
  const noticeGapMs = 500;
  await using daemon = await configuredDaemon(settingsFor(receiver.host, { on: ["blocked"] }), {
    times: { noticeGapMs },
  });
  const flood = `for n in {1..100}; do read -t 0.01 -rp "Go on $n? [y/N] " a; echo; done; read -rp 'Last one? [y/N] ' a; read -r`;
  await daemon.run(ask(flood), { name: "flood" });
  await until(() => bodiesOf(receiver).some(({ data }) => data.body.includes("Last one?")));
  assert.equal(receiver.counts.size, receiver.received.length);
  const times = (await noticesOf(daemon)).flatMap(({ createdAt, state }) =>
    state === "sent" ? Date.parse(createdAt) : [],
  );
  const gaps = times.slice(1).map((time, index) => (times[index] ?? 0) - time);
  assert.deepEqual(
    gaps.filter((gap) => gap < noticeGapMs),
    [],
  );
});

test("a link works over HTTP from a browser, a button of ntfy and through a proxy; a GET changes nothing", async () => {
  await using receiver = await NoticeReceiver.start(200);
  const daemon = await shared.empty(settingsFor(receiver.host));
  await using server = await serverOf(daemon);
  const [listener] = server.listeners;
  const url = listener?.url ?? "";
  const ntfy = { kind: "ntfy" };
  const settings = settingsFor(receiver.host, { on: ["blocked"] }, ntfy) as { notify: object };
  await reconfigure(daemon, { notify: { ...settings.notify, publicUrl: url } });
  const { id } = await daemon.run(ask(QUESTION), { name: "files" });
  await until(() => receiver.received.length > 0);
  const actions = JSON.parse(String(receiver.received[0]?.headers["actions"])) as { label: string; url: string }[];
  assert.deepEqual(
    actions.map(({ label }) => label),
    ["y", "N"],
  );
  const link = actions[0]?.url ?? "";
  const page = await fetch(link, { headers: { accept: "text/html", "sec-fetch-site": "cross-site" } });
  const html = await page.text();
  assert.match(html, /<p>Remove all files\? \[y\/N\]<\/p><form method="post"><button>y<\/button>/);
  assert.doesNotMatch(html, /<script|files<|work/);
  assert.match(
    page.headers.get("content-security-policy") ?? "",
    /^default-src 'none'; style-src 'sha256-[^' ]+'; form-action 'self';/,
  );
  assert.equal((await daemon.call("approvals.list", {})).approvals.length, 1);
  // A form of a browser, with an Origin that is not of this server; a proxy has changed the Host.
  const form = { "content-type": "application/x-www-form-urlencoded", origin: "null" };
  const answered = await fetch(link, { method: "POST", headers: form });
  assert.equal(answered.status, 200);
  assert.match(await answered.text(), /^Answered: y \(ntfy \(hook\), /);
  await until(async () => (await daemon.outputOf(id)).includes("answer=y"));
  const again = await fetch(link, { method: "POST" });
  assert.equal(again.status, 409);
  assert.match(await again.text(), /^Answered: y \(ntfy \(hook\), /);
  const guess = await fetch(`${url}/v1/answers/${"A".repeat(43)}`, { method: "POST" });
  assert.equal(guess.status, 404);
  // Nothing else is open that way.
  assert.equal((await fetch(`${url}/v1/answers/${"A".repeat(42)}`, { method: "POST", headers: form })).status, 403);
});
