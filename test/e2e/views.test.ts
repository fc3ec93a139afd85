/** What is read off a session, with real programs behind a real daemon. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionUpdate } from "../../src/protocol/views.ts";
import type { CallContext } from "../../src/daemon/service.ts";
import { SharedDaemon } from "../support/shared-daemon.ts";

const shared = new SharedDaemon();

const context = (): CallContext => ({
  caller: { scope: "admin", session: null },
  signal: new AbortController().signal,
});

test("the screen of a session is what its program drew, also after the daemon was started anew", async () => {
  const daemon = await shared.empty();
  const script = "printf '\\033[2J\\033[3;5Hhello \\033[1mbold\\033[0m'; read -r";
  const { id } = await daemon.run(["bash", "--norc", "-c", script], { columns: 40, rows: 6 });
  await daemon.untilOutput(id, "bold");
  const before = await daemon.call("sessions.screen", { session: id, ansi: true });
  assert.deepEqual([before.columns, before.rows, before.text], [40, 6, "\n\n    hello bold"]);
  assert.deepEqual([before.cursor.column, before.cursor.row], [14, 2]);
  assert.match(before.ansi ?? "", /bold/);
  await daemon.restart();
  // What the kernel reports of the program may come behind what it drew.
  const { offset } = await daemon.call("sessions.screen", { session: id, ansi: true });
  assert.ok(offset >= before.offset);
  const again = await daemon.call("sessions.screen", { session: id, ansi: true });
  assert.deepEqual({ ...again, offset }, { ...before, offset });
  await daemon.call("sessions.kill", { session: id, graceMs: 0 });
  const after = await daemon.call("sessions.screen", { session: id });
  assert.equal(after.text, before.text);
});

test("a program that asks its terminal is answered with nobody attached", async () => {
  const daemon = await shared.empty();
  const script =
    "stty -echo -icanon min 1 time 0; printf '\\033[6n'; IFS= read -r -d R answer; echo \"<${answer#?}>\"; read -r";
  const { id } = await daemon.run(["bash", "--norc", "-c", script]);
  assert.equal((await daemon.untilOutput(id, "<.*>")).match, "<[1;1>");
});

test("events that a program prints are told as they come, and once each after a restart of the daemon", async () => {
  const daemon = await shared.empty();
  const script = `for i in 1 2; do echo '<FORGE_EVENT name="MILESTONE">{"step":'$i'}</FORGE_EVENT>'; read -r; done`;
  const { id } = await daemon.run(["bash", "--norc", "-c", script], { trustText: true });
  const seen: SessionUpdate[] = [];
  const follow = daemon.running.service.handlers["sessions.updates"];
  using updates = await follow({ session: id, from: 0, kinds: ["event"] }, context());
  for await (const changes of updates.batches) {
    seen.push(...changes.flatMap(({ item }) => item ?? []));
    if (seen.length === 1) await daemon.call("sessions.input", { session: id, text: "", enter: true });
    else break;
  }
  assert.deepEqual(
    seen.map((change) => change.kind === "event" && change.event.valid && [change.event.payload, change.event.trust]),
    [
      [{ step: 1 }, "text"],
      [{ step: 2 }, "text"],
    ],
  );
  await daemon.restart();
  await daemon.call("sessions.reindex", { session: id });
  const { changes } = await daemon.call("sessions.changes", { session: id, kinds: ["event"] });
  assert.deepEqual(changes, seen);
  const { hits } = await daemon.call("sessions.search", { words: "milestone" });
  await assert.rejects(
    daemon.call("sessions.search", { words: '"mile' }),
    /Cannot search for "mile: a quote is not closed/,
  );
  await assert.rejects(daemon.call("sessions.search", { words: "mile*stone)" }), /: put words with signs into quotes/);
  await assert.rejects(daemon.call("sessions.search", { words: "* stone" }), /: put words with signs into quotes/);
  assert.deepEqual(
    hits.map(({ session, kind, snippet }) => [session, kind, snippet]),
    [
      [id, "event", '\u0002MILESTONE\u0003 {"step":2}'],
      [id, "event", '\u0002MILESTONE\u0003 {"step":1}'],
    ],
  );
});

test("sessions that start and end are told to who follows all of them", async () => {
  const daemon = await shared.empty();
  const states: string[] = [];
  const following = (async () => {
    using updates = await daemon.running.service.handlers["daemon.updates"](
      { list: false, machines: false },
      context(),
    );
    for await (const batch of updates.batches) {
      for (const { item } of batch) if (item?.kind === "session" && item.view !== null) states.push(item.view.state);
      if (states.includes("exited")) return;
    }
  })();
  await daemon.run(["bash", "-c", "sleep 0.1"]);
  await following;
  assert.ok(states.includes("running"), states.join());
});
