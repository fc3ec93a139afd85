/** What programs say over the event socket, and what the host writes down: a real daemon, a real host, real programs. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { isTrusted } from "../../src/core/events/tagged-event.ts";
import type { EventTrust } from "../../src/core/records.ts";
import { EVENT_LINE_BYTES_MAX } from "../../src/host/event-socket.ts";
import { SharedDaemon } from "../support/shared-daemon.ts";
import type { TemporaryDaemon } from "../support/temporary-daemon.ts";
import { until } from "../support/until.ts";

const shared = new SharedDaemon();

/** Sends a line to the socket that the environment names, and prints the answer. */
const sender = `
const net = require("node:net");
const { LECTERN_EVENT_SOCKET: path, LECTERN_SESSION: session, LECTERN_EVENT_NONCE: nonce } = process.env;
const [name, payload, withNonce] = process.argv.slice(1);
const socket = net.connect(path, () => socket.write(JSON.stringify({ session, name, payload: JSON.parse(payload), ...(withNonce ? { nonce } : {}) }) + "\\n"));
socket.on("data", (data) => { process.stdout.write(data); socket.destroy(); });
`;
const send = (name: string, payload: string, ...more: string[]): [string, ...string[]] => [
  process.execPath,
  "-e",
  sender,
  name,
  payload,
  ...more,
];
const quoted = (words: readonly string[]): string =>
  words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");

interface Mark {
  readonly type: string;
  readonly [field: string]: unknown;
}

async function marksOf(daemon: TemporaryDaemon, session: string): Promise<Mark[]> {
  const records = await daemon.recordsOf(session);
  return records.filter(({ type }) => type === "mark").map((record) => record["event"] as Mark);
}

const eventsOf = async (daemon: TemporaryDaemon, session: string): Promise<Mark[]> =>
  (await marksOf(daemon, session)).filter(({ type }) => type === "event");

test("a program sends an event over the socket, and it stands in the journal with the highest trust", async () => {
  const daemon = await shared.empty();
  // It waits until its process id was told: that of a program that has ended is null.
  const waiting = 'read -r _; exec "$@"';
  const { id, pid } = await daemon.run(["bash", "-c", waiting, "bash", ...send("TASK_COMPLETE", '{"steps":[1,2,3]}')]);
  await daemon.call("sessions.input", { session: id, text: "", enter: true });
  await daemon.exitOf(id);
  assert.deepEqual(await eventsOf(daemon, id), [
    { type: "event", name: "TASK_COMPLETE", payload: { steps: [1, 2, 3] }, carrier: "socket", trust: "socket", pid },
  ]);
  const answer = JSON.parse((await daemon.outputOf(id)).toString().trim()) as {
    ok: boolean;
    offset: number;
    trust: string;
  };
  assert.equal(answer.ok, true);
  assert.equal(answer.trust, "socket");
  const record = (await daemon.recordsOf(id)).find(({ offset }) => offset === answer.offset);
  assert.equal((record?.["event"] as Mark | undefined)?.type, "event");
});

/** Waits until the process that is its first word has ended, and becomes the command. */
const orphan = `bash -c 'while kill -0 "$0" 2> /dev/null; do sleep 0.01; done; exec "$@"'`;
/** A script that leaves `line` to a process which the session has lost sight of, and waits for its answer. */
const leftToDaemon = (line: string): string =>
  // The directory is shared: the answer of another test must not end the wait.
  `out=$(mktemp out.XXXXXX); (parent=$BASHPID; setsid ${orphan} "$parent" ${line} > "$out" &); until [ -s "$out" ]; do sleep 0.01; done`;

/** How a process came to be, and what its event is worth. */
const senders: Readonly<Record<string, { readonly script: (line: string) => string; readonly trust: EventTrust }>> = {
  "a child of the program": { script: (line) => line, trust: "socket" },
  "a tool in a session of its own, as agents start them": { script: (line) => `setsid -w ${line}`, trust: "socket" },
  "a daemon that left the session and its parents": {
    script: leftToDaemon,
    trust: "unverified",
  },
};

for (const [name, { script, trust }] of Object.entries(senders)) {
  test(`the event of ${name} is trusted as "${trust}"`, async () => {
    const daemon = await shared.empty();
    const { id } = await daemon.run(["bash", "-c", `${script(quoted(send("A", "1")))}; exit 0`], {
      workingDirectory: daemon.paths.dataDirectory,
    });
    await daemon.exitOf(id);
    assert.deepEqual(
      (await eventsOf(daemon, id)).map((event) => event["trust"]),
      [trust],
    );
  });
}

test("a daemon that says the nonce is trusted that far", async () => {
  const daemon = await shared.empty();
  const script = leftToDaemon(quoted(send("A", "1", "nonce")));
  const { id } = await daemon.run(["bash", "-c", script], { workingDirectory: daemon.paths.dataDirectory });
  await daemon.exitOf(id);
  const trust = (await eventsOf(daemon, id))[0]?.["trust"] as EventTrust;
  assert.equal(trust, "nonce");
  assert.equal(isTrusted(trust, "encoded"), false);
});

/** The event socket of the only host. */
const socketOf = (daemon: TemporaryDaemon): string => {
  const name = readdirSync(daemon.paths.runtimeDirectory).find((file) => file.startsWith("ev-"));
  return join(daemon.paths.runtimeDirectory, name ?? "none");
};

/** Everything that comes back, until the host hangs up. */
function exchange(path: string, bytes: string | Uint8Array, end = true): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let answer = "";
  const socket = connect({ path, allowHalfOpen: true }, () => (end ? socket.end(bytes) : socket.write(bytes)));
  socket.on("data", (data: Buffer) => (answer += data.toString()));
  socket.on("error", () => {});
  socket.on("end", () => socket.end());
  socket.on("close", () => resolve(answer));
  return promise;
}

test("a process outside of the session is refused, whatever it says", async () => {
  const daemon = await shared.empty();
  const { id } = await daemon.run(["cat"]);
  const [start] = await marksOf(daemon, id);
  const line = JSON.stringify({ session: id, name: "A", payload: 1, nonce: start?.["eventNonce"] });
  assert.match(await exchange(socketOf(daemon), `${line}\n`), /"ok":false,"code":"FORBIDDEN"/);
  assert.deepEqual(await eventsOf(daemon, id), []);
});

test("bad lines are answered with what is wrong, and the connection goes on", async () => {
  const daemon = await shared.empty();
  await daemon.run(["cat"]);
  const lines = ["{", "[]", "{}", '{"session":"x"}', '{"session":"x","name":"1"}', '{"session":"x","name":"A"}'];
  const good = '{"session":"nobody","name":"A","payload":null}';
  const answers = (await exchange(socketOf(daemon), `${[...lines, good].join("\n")}\n`)).trimEnd().split("\n");
  assert.deepEqual(
    answers.map((answer) => (JSON.parse(answer) as { code: string }).code),
    [...lines.map(() => "INVALID_INPUT"), "SESSION_NOT_FOUND"],
  );
});

test("a line without end is cut, and a peer that closed its end after a line without line feed is answered", async () => {
  const daemon = await shared.empty();
  await daemon.run(["cat"]);
  const path = socketOf(daemon);
  assert.match(
    await exchange(path, Buffer.alloc(EVENT_LINE_BYTES_MAX + 1, "x"), false),
    /LIMIT_EXCEEDED.*1000000 bytes/,
  );
  assert.match(await exchange(path, '{"session":"nobody","name":"A","payload":null}'), /SESSION_NOT_FOUND/);
});

test("events come in while the daemon is dead", async () => {
  const daemon = await shared.empty();
  const { dataDirectory } = daemon.paths;
  const script = `until [ -e go ]; do sleep 0.02; done; ${quoted(send("LATE", '"x"'))}; touch sent; sleep 60`;
  const { id } = await daemon.run(["bash", "-c", script], { workingDirectory: dataDirectory });
  await daemon.close();
  writeFileSync(join(dataDirectory, "go"), "");
  await until(() => existsSync(join(dataDirectory, "sent")), "the event is sent");
  await daemon.open();
  assert.deepEqual(
    (await eventsOf(daemon, id)).map(({ name, payload }) => [name, payload]),
    [["LATE", "x"]],
  );
});

test("too many events at once are refused for a while", async () => {
  const daemon = await shared.empty();
  // A host that has no processor for a second accepts a hundred more: so it goes on until one is refused.
  const script = `
const net = require("node:net");
const { LECTERN_EVENT_SOCKET: path, LECTERN_SESSION: session } = process.env;
const lines = (JSON.stringify({ session, name: "A", payload: null }) + "\\n").repeat(600);
(function send(accepted) {
  let text = "";
  const socket = net.connect(path, () => socket.end(lines));
  socket.on("data", (data) => { text += data; });
  socket.on("end", () => {
    const refused = text.split("LIMIT_EXCEEDED").length - 1;
    if (refused === 0) send(accepted + 600);
    else console.log(String(accepted + 600 - refused));
  });
})(0);
`;
  const { id } = await daemon.run([process.execPath, "-e", script]);
  await daemon.exitOf(id);
  const events = (await daemon.recordsOf(id)).filter(({ event }) => (event as Mark | undefined)?.type === "event");
  assert.equal((await daemon.outputOf(id)).toString(), `${events.length}\r\n`);
  const [first = 0, last = 0] = [events[0], events.at(-1)].map((record) => record?.timeUs);
  const allowed = 500 + (100 * (last - first)) / 1_000_000 + 1;
  assert.ok(events.length >= 500 && events.length <= allowed, `${events.length} of ${allowed}`);
});

test("what the program in the foreground waits for stands in the journal", async () => {
  const daemon = await shared.empty();
  const { id } = await daemon.run(["bash", "-c", "read -p 'name? ' name; read -s -p 'password: ' word; sleep 60"]);
  const verdicts = async (): Promise<unknown[]> =>
    (await marksOf(daemon, id)).filter(({ type }) => type === "foreground").map((mark) => mark["verdict"]);
  await until(async () => (await verdicts()).at(-1) === "prompt", "it waits for a line");
  await daemon.call("sessions.input", { session: id, text: "me", enter: true });
  await until(async () => (await verdicts()).at(-1) === "password", "it waits for a password");
  await daemon.call("sessions.input", { session: id, text: "secret", enter: true });
  await until(async () => (await verdicts()).at(-1) === "busy", "it sleeps");
  const marks = await marksOf(daemon, id);
  assert.equal(marks[0]?.type, "session-start");
  const password = marks.find((mark) => mark["verdict"] === "password");
  assert.deepEqual([password?.["program"], password?.["canonical"], password?.["echo"]], ["bash", true, false]);
});

test("input with a key is typed once, and says where it stands", async () => {
  const daemon = await shared.empty();
  const { id } = await daemon.run(["cat"]);
  const input = { session: id, text: "once", enter: true, key: "k1" };
  const first = await daemon.call("sessions.input", input);
  const second = await daemon.call("sessions.input", input);
  assert.deepEqual(second, { ...first, already: true });
  await assert.rejects(daemon.call("sessions.input", { ...input, text: "other" }), { code: "CONFLICT" });
  await daemon.restart();
  assert.deepEqual(await daemon.call("sessions.input", input), second);
  const records = await daemon.recordsOf(id);
  const at = records.findIndex(({ type }) => type === "input");
  assert.deepEqual(records[at - 1]?.["event"], { type: "input-key", key: "k1", bytes: 5 });
  assert.equal(records[at]?.offset, first.offset);
  assert.equal(records.filter(({ type }) => type === "input").length, 1);
});
