/** Questions on the screens of real programs, answered through the daemon. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { TemporaryDaemon } from "../support/temporary-daemon.ts";

/** Waits for the first question that stands. */
async function firstQuestion(daemon: TemporaryDaemon): Promise<{ id: string; question: string; session: string }> {
  const { version } = await daemon.call("approvals.list", {});
  const now = await daemon.call("approvals.list", {});
  const { approvals } =
    now.approvals.length > 0 ? now : await daemon.call("approvals.list", { version, waitMs: 60_000 });
  const [first] = approvals;
  assert.ok(first, "no question came");
  return first;
}

test("a question of a program is answered by keys, and the answer says who gave it", async () => {
  await using daemon = await TemporaryDaemon.start();
  const script = `read -rp 'Remove all files? [y/N] ' answer; echo "answer=$answer"; read -r`;
  const { id } = await daemon.run(["bash", "--norc", "-c", script]);
  const asked = await firstQuestion(daemon);
  assert.deepEqual([asked.session, asked.question], [id, "Remove all files? [y/N]"]);
  assert.equal((await daemon.call("sessions.status", { session: id })).status?.state, "blocked");
  await daemon.call("approvals.answer", { session: id, approval: asked.id, option: "n", by: "anna" });
  await daemon.untilOutput(id, "answer=n");
  assert.deepEqual((await daemon.call("approvals.list", {})).approvals, []);
  const { changes } = await daemon.call("sessions.changes", { session: id, kinds: ["approval"] });
  const last = changes.at(-1);
  assert.ok(last?.kind === "approval");
  assert.deepEqual(
    [last.approval.state, last.approval.answer?.option, last.approval.answer?.by],
    ["answered", "n", "person (note: anna)"],
  );
  await assert.rejects(daemon.call("approvals.answer", { session: id, approval: asked.id, option: "n", by: "anna" }), {
    code: "NOT_FOUND",
  });
});

test("a question that stands is known to the next daemon too", async () => {
  await using daemon = await TemporaryDaemon.start();
  const script = `read -rp 'Go on? [y/N] ' answer; echo "answer=$answer"; read -r`;
  const { id } = await daemon.run(["bash", "--norc", "-c", script]);
  const before = await firstQuestion(daemon);
  await daemon.restart();
  const after = await firstQuestion(daemon);
  assert.equal(after.id, before.id);
  await daemon.call("approvals.answer", { session: id, approval: after.id, option: "y" });
  await daemon.untilOutput(id, "answer=y");
});
