/** Agents that read lines at a prompt, described by a file: programs in the form of llm, ollama and aider. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { SharedDaemon } from "../support/shared-daemon.ts";
import type { TemporaryDaemon } from "../support/temporary-daemon.ts";
import { firstOf } from "../support/variants.ts";

const shared = new SharedDaemon();
const program = join(import.meta.dirname, "../support/line-bot.py");

const files = {
  llm: `{ prompt: "^> " }`,
  ollama: String.raw`{ prompt: "^>>> ", more: '^\.\.\. ' }`,
  aider: `{ prompt: "^> ", skip: ["^─+$", "^Tokens: "] }`,
};
type Form = keyof typeof files;
const forms = Object.keys(files) as Form[];
const welcomes: Readonly<Record<Form, readonly string[]>> = {
  llm: ["welcome: Chatting with a model\nType 'exit' or 'quit' to exit"],
  ollama: [],
  aider: ["welcome: Aider-like v1"],
};

async function addFile(daemon: TemporaryDaemon, form: Form): Promise<void> {
  const file = join(daemon.paths.agentsDirectory, `${form}-like.yaml`);
  writeFileSync(file, `name: ${form}-like\ncommands: [${form}-like]\nline: ${files[form]}\n`);
  await daemon.restart();
}

async function start(daemon: TemporaryDaemon, form: Form): Promise<string> {
  await addFile(daemon, form);
  const { id } = await daemon.run(["python3", program, form], { agent: `${form}-like` });
  await untilWaiting(daemon, id);
  return id;
}

const untilWaiting = (daemon: TemporaryDaemon, session: string): Promise<unknown> =>
  daemon.call("sessions.wait", { session, for: { type: "status", states: ["waiting"] }, timeoutMs: 60_000 });

async function said(daemon: TemporaryDaemon, session: string): Promise<string[]> {
  const { messages } = await daemon.call("sessions.messages", { session });
  return messages.filter(({ role }) => role !== "conversation-start").map(({ role, text }) => `${role}: ${text}`);
}

const answerTo = (text: string): string =>
  `assistant: Here is the list:\n- one\n- ${text.length} characters\n> a quote\nDone.`;

for (const form of firstOf(forms, 1))
  test(`the conversation with a program like ${form} is read, and it waits after each answer`, async () => {
    const daemon = await shared.empty();
    const session = await start(daemon, form);
    const prompts = ["hello there", "run the tests again", "run the tests again", "a  text with 2 blanks and a › sign"];
    for (const text of prompts) {
      const receipt = await daemon.call("sessions.prompt", { session, text, waitMs: 60_000 });
      assert.equal(receipt.state, "done", receipt.reason ?? "");
      const { status } = await daemon.call("sessions.status", { session });
      assert.deepEqual([status?.state, status?.agent], ["waiting", `${form}-like`]);
    }
    const expected = [...welcomes[form], ...prompts.flatMap((text) => [`user: ${text}`, answerTo(text)])];
    assert.deepEqual(await said(daemon, session), expected);
    await daemon.call("sessions.reindex", { session });
    assert.deepEqual(await said(daemon, session), expected);
  });

test("a program like ollama takes several lines between quotes", async () => {
  const daemon = await shared.empty();
  const session = await start(daemon, "ollama");
  await daemon.call("sessions.input", { session, text: '"""one\ntwo"""\n' });
  while ((await said(daemon, session)).at(-1) !== answerTo("one\ntwo")) await delay(20);
  assert.deepEqual((await said(daemon, session)).slice(0, -1), ['user: """one\ntwo"""']);
});

test("a chat that was started in a shell ends at the shell's prompt, and not at its own", async () => {
  const daemon = await shared.empty();
  const directory = daemon.paths.dataDirectory;
  writeFileSync(join(directory, "llm-like"), `#!/bin/sh\nexec python3 '${program}' llm\n`, { mode: 0o755 });
  await addFile(daemon, "llm");
  const { id } = await daemon.run(["bash", "--norc"], { workingDirectory: directory });
  await untilWaiting(daemon, id);
  await daemon.call("sessions.input", { session: id, text: "./llm-like\n" });
  await daemon.untilOutput(id, "Type 'exit'");
  for (const text of ["hello there", "exit"]) {
    const receipt = await daemon.call("sessions.prompt", { session: id, text, waitMs: 60_000 });
    assert.equal(receipt.state, "done", receipt.reason ?? "");
  }
  await daemon.call("sessions.input", { session: id, text: "echo back; exit 3\n" });
  await daemon.exitOf(id);
  assert.deepEqual(await said(daemon, id), [
    ...welcomes.llm,
    "user: hello there",
    answerTo("hello there"),
    "user: exit",
    "exit: ended",
    "shell: back\nexit",
    "exit: exit code 3",
  ]);
});

/** Of a program without a file, and of the same one that is read by the common marks: the state, the receipts, what was typed. */
async function seen(daemon: TemporaryDaemon, agent: string | undefined): Promise<unknown[]> {
  const { id } = await daemon.run(["python3", program, "llm"], agent === undefined ? {} : { agent });
  await untilWaiting(daemon, id);
  const receipts = [];
  for (const text of ["hello there", "run the tests again"]) {
    const { state, reason } = await daemon.call("sessions.prompt", { session: id, text, waitMs: 60_000 });
    const { status } = await daemon.call("sessions.status", { session: id });
    receipts.push([state, reason, status?.state]);
  }
  return receipts;
}

test("like:generic takes prompts and has states like a program without a file, and has its messages", async () => {
  const daemon = await shared.empty();
  const expected = [
    ["done", null, "waiting"],
    ["done", null, "waiting"],
  ];
  assert.deepEqual(await seen(daemon, undefined), expected);
  assert.deepEqual(await seen(daemon, "like:generic"), expected);
  const session = (await daemon.call("sessions.list", {})).sessions.find(({ agent }) => agent === "generic");
  const messages = await said(daemon, session?.id ?? "");
  assert.ok(messages.includes("user: run the tests again"), messages.join("\n"));
});
