/** What all sessions tell, over a WebSocket and as server-sent events, from a real daemon. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { DaemonUpdate } from "../../src/protocol/views.ts";
import { until } from "../support/until.ts";
import { SharedHome } from "./cli-home.ts";

const home = await new SharedHome().empty();

type Update<Kind extends DaemonUpdate["kind"]> = Extract<DaemonUpdate, { readonly kind: Kind }>;

/** The first update of a kind that is as wanted. */
async function next<Kind extends DaemonUpdate["kind"]>(
  updates: AsyncIterator<DaemonUpdate>,
  kind: Kind,
  isWanted: (update: Update<Kind>) => boolean = () => true,
): Promise<Update<Kind>> {
  for (;;) {
    const { value, done } = await updates.next();
    assert.ok(done !== true, "the updates ended");
    if (value.kind === kind && isWanted(value as Update<Kind>)) return value as Update<Kind>;
  }
}

for (const over of ["socket", "events"] as const) {
  test(`${over}: a list begins with what is there, and goes on with what starts, grows, ends and is removed`, async () => {
    await home.ok("run", "-d", "--name", `old-${over}`, "--", "cat");
    const leaving = new AbortController();
    const updates = home.client.daemonUpdates({ over, list: true, signal: leaving.signal });
    const { sessions, approvals } = await next(updates, "list");
    assert.ok(sessions.some(({ name, state }) => name === `old-${over}` && state === "running"));
    assert.deepEqual(approvals, []);

    await home.ok("run", "-d", "--name", `new-${over}`, "--", "bash", "-c", "read -r _; echo printed");
    const { session: id } = await next(updates, "session", ({ view }) => view?.name === `new-${over}`);
    await home.client.call("sessions.input", { session: id, text: "", enter: true });
    const ended = await next(updates, "session", ({ session, view }) => session === id && view?.endedAt != null);
    assert.ok((ended.view?.end ?? 0) > 0);
    await home.ok("rm", id);
    await next(updates, "session", ({ session, view }) => session === id && view === null);

    const old = sessions.find(({ name }) => name === `old-${over}`);
    assert.ok(old);
    await home.client.call("sessions.input", { session: old.id, text: "hello", enter: true });
    const grown = await next(updates, "activity", ({ session }) => session === old.id);
    assert.ok(grown.end > old.end);
    leaving.abort();
    await assert.rejects(
      async () => {
        for await (const _ of updates) assert.ok(true);
      },
      { code: "CANCELLED" },
    );
  });
}

test("the views of one session come in frames too, from its beginning, and end with the session", async () => {
  await home.ok("run", "-d", "--name", "one", "--", "bash", "-c", "echo over");
  await home.ok("wait", "one", "--for", "exit");
  const kinds = new Set<string>();
  for await (const { kind } of home.client.updates("one", { over: "socket" })) kinds.add(kind);
  assert.ok(kinds.has("status"));
});

test("updates of a session that is not there are refused", async () => {
  const reading = async (): Promise<void> => {
    for await (const _ of home.client.updates("nobody", { over: "socket", attemptsMax: 0 })) assert.fail();
  };
  await assert.rejects(reading, { code: "SESSION_NOT_FOUND" });
});

for (const over of ["socket", "events"] as const) {
  test(`${over}: receipts come with the changes, and a reader that resumes is told what became of them meanwhile`, async () => {
    const session = `prompted-${over}`;
    await home.ok("run", "-d", "--name", session, "--", "bash", "--norc", "--noprofile");
    const leaving = new AbortController();
    const { next: from } = await home.client.call("sessions.changes", { session });
    const kinds = ["message", "receipt"] as const;
    const states: string[] = [];
    let place = from;
    await home.client.call("sessions.prompt", { shell: true, session, text: "echo one", key: "one" });
    for await (const change of home.client.updates(session, { over, from, kinds, signal: leaving.signal })) {
      assert.ok(change.offset >= place, "offsets go back");
      place = change.offset;
      if (change.kind !== "receipt") continue;
      states.push(change.receipt.state);
      if (change.receipt.state === "done") break;
    }
    assert.equal(states.at(-1), "done");
    // While nobody listens.
    const second = { shell: true, session, text: "echo two", key: "two", waitMs: 60_000 };
    assert.equal((await home.client.call("sessions.prompt", second)).state, "done");
    const heard: string[] = [];
    for await (const change of home.client.updates(session, { over, from: place, kinds, signal: leaving.signal })) {
      if (change.kind === "receipt" && change.receipt.key === "two") heard.push(change.receipt.state);
      if (heard.length > 0) break;
    }
    assert.deepEqual(heard, ["done"]);
    leaving.abort();
  });
}

test("who follows the list hears that the audit log has grown", async () => {
  const leaving = new AbortController();
  const updates = home.client.daemonUpdates({ over: "socket", list: true, signal: leaving.signal });
  await next(updates, "list");
  const row = { type: "start", session: "s", call: "c", timeMs: 1_700_000_000_000, executor: "executor" } as const;
  await home.client.call("audit.append", { rows: [row] });
  await next(updates, "audit");
  leaving.abort();
});

test("lectern prompt --cancel takes back what waits, and says why it cannot", async () => {
  await home.ok("run", "-d", "--name", "busy", "--", "bash", "--norc", "--noprofile");
  await home.ok("prompt", "busy", "--shell", "tail -f /dev/null", "--key", "first");
  await home.ok("prompt", "busy", "--shell", "echo never", "--key", "second");
  assert.equal(await home.ok("prompt", "busy", "--cancel", "second"), "cancelled (key second)\n");
  // A shell that starts works, too.
  const isTaken = async () =>
    (await home.client.call("sessions.receipt", { session: "busy", key: "first" })).state === "working";
  await until(isTaken, "the shell has taken the first one");
  const late = await home.run(["prompt", "busy", "--cancel", "first"]);
  assert.deepEqual([late.code, /Cannot cancel prompt "first": it is/.test(late.stderr)], [4, true]);
  assert.equal((await home.run(["prompt", "busy"])).code, 2);
});
