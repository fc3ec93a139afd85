/** Questions on the screens of real programs, answered through the daemon. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { LecternError } from "../../src/core/errors.ts";
import { HostClient } from "../../src/host/host-client.ts";
import type { OutputOf } from "../../src/protocol/operations.ts";
import { SharedDaemon } from "../support/shared-daemon.ts";
import { TemporaryDaemon } from "../support/temporary-daemon.ts";
import { someOf } from "../support/variants.ts";

const shared = new SharedDaemon();

test("a question of a program is answered by keys, and the answer says who gave it", async () => {
  const daemon = await shared.empty();
  const script = `read -rp 'Remove all files? [y/N] ' answer; echo "answer=$answer"; read -r`;
  const { id } = await daemon.run(["bash", "--norc", "-c", script]);
  const asked = await question(daemon, () => true);
  assert.deepEqual([asked.session, asked.question], [id, "Remove all files? [y/N]"]);
  assert.equal((await daemon.call("sessions.status", { session: id })).status?.state, "blocked");
  await daemon.call("approvals.answer", {
    session: id,
    approval: asked.id,
    digest: asked.digest,
    option: "n",
    by: "anna",
  });
  await daemon.untilOutput(id, "answer=n");
  assert.deepEqual((await daemon.call("approvals.list", {})).approvals, []);
  const { changes } = await daemon.call("sessions.changes", { session: id, kinds: ["approval"] });
  const last = changes.at(-1);
  assert.ok(last?.kind === "approval");
  assert.deepEqual(
    [last.approval.state, last.approval.answer?.option, last.approval.answer?.by],
    ["answered", "n", "person (note: anna)"],
  );
  const again = daemon.call("approvals.answer", { session: id, approval: asked.id, digest: asked.digest, option: "n" });
  await assert.rejects(again, { code: "NOT_FOUND" });
});

test("a session goes on, and its questions are seen, if the answer of its host to the start was lost", async (context) => {
  await using daemon = await TemporaryDaemon.start();
  await daemon.run(["true"]);
  // oxlint-disable-next-line typescript/unbound-method -- called with its `this` below
  const original = HostClient.prototype.call;
  const calls = context.mock.method(
    HostClient.prototype,
    "call",
    async function (this: HostClient, ...[method, parameters]: Parameters<typeof original>) {
      const answer = await original.call(this, method, parameters);
      if (method !== "spawn") return answer;
      this.close();
      throw new LecternError("HOST_UNREACHABLE", "The answer was lost");
    },
  );
  const script = "read -rp 'Go on? [y/N] ' answer; read -r";
  await assert.rejects(daemon.run(["bash", "--norc", "-c", script], { name: "asks" }), { code: "HOST_UNREACHABLE" });
  calls.mock.restore();
  const { id } = await daemon.call("sessions.get", { session: "asks" });
  assert.equal((await question(daemon, () => true)).session, id);
});

test("a question that stands is known to the next daemon too", async () => {
  const daemon = await shared.empty();
  const script = `read -rp 'Go on? [y/N] ' answer; echo "answer=$answer"; read -r`;
  const { id } = await daemon.run(["bash", "--norc", "-c", script]);
  const before = await question(daemon, () => true);
  await daemon.restart();
  const after = await question(daemon, () => true);
  assert.deepEqual([after.id, after.digest], [before.id, before.digest]);
  await daemon.call("approvals.answer", { session: id, approval: after.id, digest: before.digest, option: "y" });
  await daemon.untilOutput(id, "answer=y");
});

type Asked = OutputOf<"approvals.list">["approvals"][number];

/** Waits for an open question that `isWanted`. */
async function question(daemon: TemporaryDaemon, isWanted: (asked: Asked) => boolean): Promise<Asked> {
  for (;;) {
    const { approvals, version } = await daemon.call("approvals.list", {});
    const found = approvals.find(isWanted);
    if (found !== undefined) return found;
    await daemon.call("approvals.list", { version, waitMs: 60_000 });
  }
}

/** Waits for a question that nobody is known to read, with the reason that is wanted. */
async function hinted(daemon: TemporaryDaemon, why = /./): Promise<Asked> {
  for (;;) {
    const { hints, version } = await daemon.call("approvals.list", {});
    const [hint] = hints;
    if (hint !== undefined && why.test(hint.whyHint ?? "")) return hint;
    await daemon.call("approvals.list", { version, waitMs: 60_000 });
  }
}

const answer = (daemon: TemporaryDaemon, { id, digest, session }: Asked, option: string) =>
  daemon.call("approvals.answer", { session, approval: id, digest, option, by: "anna" });

async function approvalsOf(daemon: TemporaryDaemon, session: string): Promise<Asked[]> {
  const { changes } = await daemon.call("sessions.changes", { session, kinds: ["approval"] });
  return changes.flatMap((change) => (change.kind === "approval" ? [change.approval as Asked] : []));
}

test("a question that the program does not read is no question, and blocks nothing", async () => {
  const daemon = await shared.empty();
  const go = join(daemon.paths.dataDirectory, "go");
  const script = `printf 'Continue with staging? [y/N] '; until [ -e ${go} ]; do sleep 0.02; done
    read -rp $'\\nWipe the production database? [y/N] ' answer; echo "answer=$answer"; read -r`;
  const { id } = await daemon.run(["bash", "--norc", "-c", script]);
  await daemon.untilOutput(id, "with staging");
  await daemon.call("sessions.wait", { session: id, for: { type: "status", states: ["working"] }, timeoutMs: 60_000 });
  const hint = await hinted(daemon, /is busy/);
  assert.deepEqual([hint.question, hint.state], ["Continue with staging? [y/N]", "hint"]);
  await assert.rejects(answer(daemon, hint, "y"), { code: "CONFLICT", message: /only a hint.*busy and does not read/ });
  assert.deepEqual((await daemon.call("approvals.list", {})).approvals, []);
  writeFileSync(go, "");
  const asked = await question(daemon, () => true);
  assert.equal(asked.question, "Wipe the production database? [y/N]");
  await answer(daemon, asked, "n");
  await daemon.untilOutput(id, "answer=n");
  assert.deepEqual(
    (await approvalsOf(daemon, id)).filter(({ state }) => state === "answered").map(({ question: text }) => text),
    ["Wipe the production database? [y/N]"],
  );
});

test("an answer that a stopped program does not read is reported as not taken", async () => {
  const daemon = await shared.empty();
  const script = `read -rp 'Go on? [y/N] ' answer; echo "answer=$answer"; read -r`;
  const { id, pid } = await daemon.run(["bash", "--norc", "-c", script]);
  const asked = await question(daemon, () => true);
  process.kill(pid ?? 0, "SIGSTOP");
  try {
    // The probe has seen it before the key, or after it.
    const message = /not seen that the program has taken the answer|does not read/;
    await assert.rejects(answer(daemon, asked, "y"), { code: "CONFLICT", message });
    const states = (await approvalsOf(daemon, id)).map(({ state }) => state);
    assert.ok(!states.includes("answered"), states.join());
  } finally {
    process.kill(pid ?? 0, "SIGCONT");
  }
});

test("the same question twice is two questions, and each answer reaches its own", async () => {
  const daemon = await shared.empty();
  const script = `read -rp 'Sure? [y/N] ' one; read -rp 'Sure? [y/N] ' two; echo "answers=$one$two"; read -r`;
  const { id } = await daemon.run(["bash", "--norc", "-c", script]);
  const first = await question(daemon, () => true);
  await answer(daemon, first, "y");
  const second = await question(daemon, (asked) => asked.id !== first.id);
  assert.notEqual(second.digest, first.digest);
  await assert.rejects(answer(daemon, first, "y"), { code: "NOT_FOUND" });
  await answer(daemon, second, "n");
  await daemon.untilOutput(id, "answers=yn");
});

test("a program that reads one key gets one key, one that edits its line gets Enter too", async () => {
  const daemon = await shared.empty();
  const script = `read -rn1 -p 'Key? [y/N] ' key; echo; read -rep 'Line? [y/N] ' line; echo "answers=$key$line"; read -r`;
  const { id } = await daemon.run(["bash", "--norc", "-c", script]);
  await answer(daemon, await question(daemon, (asked) => asked.question.startsWith("Key?")), "y");
  await answer(daemon, await question(daemon, (asked) => asked.question.startsWith("Line?")), "n");
  await daemon.untilOutput(id, "answers=yn");
});

test("a program that says nothing after the answer has taken it all the same", async () => {
  const daemon = await shared.empty();
  const script = `read -rp 'Go on? [y/N] ' answer; while :; do sleep 0.02; done`;
  await daemon.run(["bash", "--norc", "-c", script]);
  const answered = await answer(daemon, await question(daemon, () => true), "y");
  assert.equal(answered.state, "answered");
});

test("an answer to a question that is read again by reindex still counts, one to another question does not", async () => {
  const daemon = await shared.empty();
  const script = `read -rp 'One? [y/N] ' one; read -rp 'Two? [y/N] ' two; echo "answers=$one$two"; read -r`;
  const { id } = await daemon.run(["bash", "--norc", "-c", script]);
  const first = await question(daemon, () => true);
  await answer(daemon, first, "n");
  const second = await question(daemon, (asked) => asked.id !== first.id);
  await daemon.call("sessions.reindex", { session: id });
  const again = await question(daemon, (asked) => asked.question === second.question);
  assert.deepEqual([again.id, again.digest], [second.id, second.digest]);
  await assert.rejects(answer(daemon, { ...second, digest: first.digest }, "y"), {
    code: "CONFLICT",
    message: /the question has changed/,
  });
  await answer(daemon, second, "y");
  await daemon.untilOutput(id, "answers=ny");
});

const shells: Readonly<Record<string, { readonly command: readonly string[]; readonly typed?: string }>> = {
  "bash with marks": { command: ["bash", "--norc", "--noprofile"] },
  "bash inside of bash": {
    command: ["bash", "--norc", "--noprofile"],
    typed: "env -u PROMPT_COMMAND -u PS0 bash --norc --noprofile",
  },
  "bash without a line editor": {
    command: ["bash", "--norc", "--noprofile"],
    typed: "env -u PROMPT_COMMAND -u PS0 bash --norc --noprofile --noediting",
  },
  sh: { command: ["sh"] },
};

for (const [name, { command, typed }] of someOf(shells, "bash with marks", "bash inside of bash")) {
  test(`a question of a job in the background is no approval at the prompt of a shell, and refuses no prompt: ${name}`, async () => {
    const daemon = await shared.empty();
    const file = join(daemon.paths.dataDirectory, "ask.sh");
    writeFileSync(file, `printf '\nOverwrite all files? [y/N] '; read -r answer; echo "answer=$answer"`);
    const { id: session } = await daemon.run([...command]);
    await daemon.untilOutput(session, "[$#] $");
    // Typed before the first probe, it would not be known which shell gives the marks.
    await daemon.call("sessions.wait", { session, for: { type: "status", states: ["waiting"] }, timeoutMs: 60_000 });
    if (typed !== undefined) {
      const { next } = await daemon.call("sessions.input", { session, text: `${typed}; echo\r` });
      await daemon.untilOutput(session, "[$#] $", next);
    }
    const { next } = await daemon.call("sessions.input", { session, text: `sh ${file} &\r` });
    await daemon.untilOutput(session, "all files\\? \\[y/N\\]", next);
    const text = "echo after-$((40+2))";
    const receipt = await daemon.call("sessions.prompt", { session, text, shell: true, waitMs: 90_000 });
    assert.equal(receipt.state, "done", receipt.reason ?? "");
    const states = (await approvalsOf(daemon, session)).map(({ state }) => state);
    assert.ok(!states.includes("open") && !states.includes("answered"), states.join());
    await daemon.untilOutput(session, "after-42", next);
  });
}

test("a shell that asks inside of a command at its prompt is asked for an answer, in its line editor too", async () => {
  const daemon = await shared.empty();
  const { id: session } = await daemon.run(["bash", "--norc", "--noprofile"]);
  for (const options of ["-rp", "-rep", "-rn1 -p"]) {
    const text = `read ${options} 'Go on? [y/N] ' answer; echo "${options.length}=$answer"\r`;
    await daemon.call("sessions.input", { session, text });
    await answer(daemon, await question(daemon, () => true), "n");
    await daemon.untilOutput(session, `${options.length}=n`);
    // The same question within milliseconds of its answer would be taken for the one that was answered.
    await daemon.call("sessions.wait", { session, for: { type: "ready" }, timeoutMs: 90_000 });
  }
});
