/** One object for a session: the same in this process and over a client of a daemon. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readAgentFiles, registryWith } from "../../src/core.ts";
import { attachSession, openSession, type LiveSession, type SessionOptions } from "../../src/index.ts";
import { JournalReader } from "../../src/journal/reader.ts";
import { isRunning } from "../../src/pty/proc-files.ts";
import { lecternCommand } from "../support/launcher.ts";
import { until } from "../support/until.ts";
import { SharedHome } from "./cli-home.ts";

const home = await new SharedHome().empty();

const bash = ["bash", "--norc", "--noprofile"] as const;

const places: Readonly<Record<string, SessionOptions>> = {
  "in this process": { environment: home.environment },
  "in a daemon": { client: home.client, environment: home.environment },
};

async function untilPrinted(session: LiveSession, text: string): Promise<void> {
  let printed = "";
  for await (const item of session.output()) {
    if (item.type === "output") printed += Buffer.from(item.bytes).toString();
    if (printed.includes(text)) return;
  }
  assert.fail(`it ended without "${text}": ${printed}`);
}

async function questionOf(session: LiveSession): ReturnType<LiveSession["approvals"]> {
  for await (const update of session.updates({ kinds: ["approval"] }))
    if (update.kind === "approval" && update.approval.state === "open") break;
  return await session.approvals();
}

async function textOf(session: LiveSession, from = 0): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const item of session.output({ from })) if (item.type === "output") parts.push(item.bytes);
  return Buffer.concat(parts).toString();
}

for (const [place, options] of Object.entries(places)) {
  test(`${place}: each question comes to a function, and what it returns answers it`, async () => {
    await using session = await openSession([...bash], options);
    const asked: string[] = [];
    const watch = session.onApproval(({ question }) => {
      asked.push(question);
      return asked.length === 1 ? "n" : undefined;
    });
    const ask = "read -p 'Delete all? [y/n] ' answer; echo got $answer";
    await session.prompt(ask, { shell: true });
    await until(async () => (await session.approvals()).length === 0 && asked.length === 1, "it is answered");
    await untilPrinted(session, "got n");
    await session.prompt(ask.replace("all", "more"), { shell: true });
    await until(async () => asked.length === 2, "the second question came");
    assert.deepEqual(asked, ["Delete all? [y/n]", "Delete more? [y/n]"]);
    assert.equal((await session.approvals()).length, 1);
    watch[Symbol.dispose]();
    await watch.ended;
  });

  test(`${place}: commands run, and their output, status and messages can be read`, async () => {
    await using session = await openSession([...bash], options);
    const { output, exitCode, exact } = await session.run("echo hello; false");
    assert.deepEqual([output, exitCode, exact], ["hello\n", 1, true]);
    for await (const update of session.updates({ kinds: ["status"] }))
      if (update.kind === "status" && update.status.state === "waiting") break;
    // The updates begin with those of before the command.
    await until(async () => (await session.status())?.state === "waiting", "it waits again");
    assert.ok(((await session.status())?.evidence.length ?? 0) > 0);
    const [message] = await session.messages({ roles: ["shell"] });
    assert.deepEqual([message?.text, message?.shell], ["hello", { command: "echo hello; false", exitCode: 1 }]);
    assert.match(await session.screen(), /echo hello; false\nhello/);

    const { end } = await session.info();
    await session.write("echo later; exit 3\r");
    assert.deepEqual(await session.ended(), { reason: "exited", code: 3, signal: null });
    assert.match(await textOf(session), /hello[\s\S]*later/);
    assert.doesNotMatch(await textOf(session, end), /hello/);
    const kinds = new Set<string>();
    for await (const { kind } of session.updates()) kinds.add(kind);
    assert.ok(kinds.has("status") && kinds.has("message"), [...kinds].join());
    await assert.rejects(session.write("x"), { code: "SESSION_ENDED" });
  });

  test(`${place}: a question is answered as it was read, and once`, async () => {
    const script = 'read -r -p "Delete all? [y/n] " answer; echo "got $answer"; read -r _';
    await using session = await openSession(["bash", "-c", script], options);
    const [asked, ...others] = await questionOf(session);
    assert.ok(asked !== undefined && others.length === 0);
    assert.equal(asked.question, "Delete all? [y/n]");
    await assert.rejects(session.answer({ id: asked.id, digest: "of-another" }, "y"), { code: "CONFLICT" });
    await assert.rejects(session.answer({ id: asked.id }, "y"), { code: "INVALID_INPUT" });
    await assert.rejects(session.prompt("something else"), { code: "CONFLICT" });
    assert.equal((await session.answer(asked, "y")).state, "answered");
    await assert.rejects(session.answer(asked, "n"), { code: "NOT_FOUND" });
    await untilPrinted(session, "got y");
    assert.deepEqual(await session.approvals(), []);
  });

  test(`${place}: a prompt is typed once and followed`, async () => {
    await using session = await openSession([...bash], options);
    const typed = { key: "one", waitMs: 60_000, shell: true };
    const receipt = await session.prompt("echo $((40 + 2))", typed);
    assert.equal(receipt.state, "done");
    assert.deepEqual((await session.prompt("echo $((40 + 2))", typed)).steps, receipt.steps);
    const messages = await session.messages();
    assert.deepEqual(
      messages.flatMap(({ shell, text }) => (shell === undefined ? [] : [text])),
      ["42"],
    );
    await assert.rejects(session.prompt("", typed), { code: "INVALID_INPUT" });
  });

  test(`${place}: events have their trust, and those of the socket the highest`, async () => {
    const tag = `<FORGE_EVENT name="DONE">{"step":1}</FORGE_EVENT>`;
    const script = `echo '${tag}'; ${lecternCommand} emit STEP '{"step":2}'`;
    const schema = { type: "object", required: ["step"] };
    await using session = await openSession(["bash", "-c", script], {
      ...options,
      eventSchemas: { DONE: schema, STEP: schema },
    });
    await session.ended();
    const all: unknown[] = [];
    for await (const event of session.events()) all.push([event.name, event.valid && event.payload, event.trust]);
    assert.deepEqual(all, [
      ["DONE", { step: 1 }, "unverified"],
      ["STEP", { step: 2 }, "socket"],
    ]);
    for await (const event of session.events({ trust: "text" })) assert.equal(event.name, "STEP");
    await using trusted = await openSession(["echo", tag], { ...options, trustText: true });
    const names: string[] = [];
    for await (const { name, trust } of trusted.events({ name: "DONE" })) names.push(`${name} ${trust}`);
    assert.deepEqual(names, ["DONE text"]);
  });

  test(`${place}: streams end when the object is closed, and a caller can cancel its own`, async () => {
    const session = await openSession(["cat"], options);
    const leaving = new AbortController();
    const cancelled = assert.rejects(
      async () => {
        for await (const _ of session.updates({ signal: leaving.signal })) leaving.abort();
      },
      { code: "CANCELLED" },
    );
    await cancelled;
    const text = { read: "" };
    const output = (async () => {
      for await (const item of session.output())
        if (item.type === "output") text.read += Buffer.from(item.bytes).toString();
    })();
    const { pid } = await session.info();
    await session.write("typed\r");
    await until(() => text.read.includes("typed"), "the program prints what was typed");
    await session.close();
    await output;
    assert.equal(isRunning(pid ?? 0), options.client !== undefined, "a session of a daemon goes on");
    if (options.client === undefined) return;
    await using again = await attachSession(options.client, session.id);
    await again.press("C-d");
    assert.partialDeepStrictEqual(await again.ended(), { reason: "exited", code: 0, signal: null });
  });

  test(`${place}: a program that is not there is an error`, async () => {
    await assert.rejects(openSession(["/no/such/program"], options), { code: "COMMAND_NOT_FOUND" });
  });
}

test("in this process nothing is left behind, but the journal where it is kept", async () => {
  const kept = mkdtempSync(join(tmpdir(), "lct-kept-"));
  const { TMPDIR: before } = process.env;
  // The directory for temporary files of everybody has those of other tests, too.
  const own = mkdtempSync(join(tmpdir(), "lct-own-"));
  process.env["TMPDIR"] = own;
  try {
    const session = await openSession(["bash", "-c", "echo kept"], { journal: kept });
    const other = await openSession(["bash", "-c", "echo gone"]);
    await Promise.all([session.ended(), other.ended()]);
    await Promise.all([session.close(), other.close(), other.close()]);
    const reader = await JournalReader.open(join(kept, session.id));
    const { records } = await reader.read(0);
    const outputs = records
      .filter(({ type }) => type === "output")
      .map(({ payload }) => Buffer.from(payload).toString());
    assert.equal(outputs.join(""), "kept\r\n");
    await reader.close();
    await assert.rejects(openSession("/no/such/program", { journal: kept }), { code: "COMMAND_NOT_FOUND" });
    assert.deepEqual(readdirSync(own), []);
    const wrong = { client: home.client, journal: kept };
    await assert.rejects(openSession("bash", wrong), { code: "INVALID_INPUT" });
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
    for (const directory of [kept, own]) rmSync(directory, { recursive: true });
  }
});

test("in this process agents of the user's own are read", async () => {
  const text = "name: mine\nextends: codex\ncommands: [mine]";
  const { files } = readAgentFiles([{ path: "mine.yaml", text }]);
  const screen = "› fix it\n\n• Done.\n\n› \n\n  ? for shortcuts\n";
  const options = { agent: "mine", agents: registryWith([...files.values()]) };
  await using session = await openSession(["bash", "-c", `printf '%s' '${screen}'; read -r _`], options);
  for await (const update of session.updates({ kinds: ["message"] }))
    if (update.kind === "message" && update.message.text === "Done.") break;
  const messages = await session.messages();
  assert.ok(messages.some(({ agent, role }) => agent === "mine" && role === "user"));
});
