/** The input lease over an attachment, against a real daemon: who types is told, and taken over. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AttachmentItem } from "../../src/client/item-queue.ts";
import { until } from "../support/until.ts";
import { SharedHome } from "./cli-home.ts";

const home = await new SharedHome().empty();
const { client } = home;

interface Word {
  readonly writer: string | null;
  readonly isMine: boolean;
}

/** The next word about who types is this one. Before it the lease may lapse: a busy machine may give nobody a processor for as long as it lasts. */
async function untilWriter(items: AsyncIterator<AttachmentItem>, wanted: Word): Promise<void> {
  for (;;) {
    const { value, done } = await items.next();
    assert.ok(done !== true, "the attachment ended");
    if (value.type !== "writer") continue;
    const { writer, isMine } = value;
    if (writer === wanted.writer) return assert.deepEqual({ writer, isMine }, wanted);
    assert.equal(writer, null);
  }
}

test("readers with a name hear who types, and one takes over from the other without typing", async () => {
  await home.ok("run", "-d", "--name", "pair", "--", "cat");
  await using anna = await client.attach("pair", { name: "anna" });
  await using ben = await client.attach("pair", { name: "ben" });
  const [toAnna, toBen] = [anna[Symbol.asyncIterator](), ben[Symbol.asyncIterator]()];
  await anna.write(Buffer.from("a"));
  await untilWriter(toAnna, { writer: "anna", isMine: true });
  await untilWriter(toBen, { writer: "anna", isMine: false });
  const { end } = await client.call("sessions.get", { session: "pair" });
  ben.take();
  await untilWriter(toBen, { writer: "ben", isMine: true });
  await untilWriter(toAnna, { writer: "ben", isMine: false });
  const { records } = await client.call("sessions.records", { session: "pair", from: end });
  assert.deepEqual(
    records.filter(({ type }) => type === "input"),
    [],
  );
  // One that comes later is told at once. Nobody takes it again, so it lapses.
  const taking = setInterval(() => ben.take(), 300);
  await using carol = await client.attach("pair", { name: "carol", readOnly: true });
  const toCarol = carol[Symbol.asyncIterator]();
  await untilWriter(toCarol, { writer: "ben", isMine: false });
  await until(async () => (await client.call("sessions.get", { session: "pair" })).writer === "ben");
  clearInterval(taking);
  await untilWriter(toCarol, { writer: null, isMine: false });
});

function throwAgain(error: unknown): never {
  throw error;
}

/** Tried until it is refused, while somebody else holds the lease: it may have lapsed. Resolves with the error, and how often it was not refused. */
async function refusal(attempt: () => Promise<unknown>): Promise<{ readonly error: unknown; readonly passed: number }> {
  for (let passed = 0; ; passed += 1) {
    try {
      await attempt();
    } catch (error) {
      return { error, passed };
    }
  }
}

test("keys of a reader that does not hold the lease are refused, over a WebSocket and over HTTP, until it takes over", async () => {
  await home.ok("run", "-d", "--name", "guarded", "--", "bash", "-c", "stty -echo; echo ready; exec cat");
  await home.ok("wait", "guarded", "--for", "output:ready");
  await using anna = await client.attach("guarded", { name: "anna" });
  await using ben = await client.attach("guarded");
  const toBen = ben[Symbol.asyncIterator]();
  const holding = setInterval(() => anna.take(), 300);
  const heard = untilWriter(anna[Symbol.asyncIterator](), { writer: "anna", isMine: true });
  anna.take();
  await heard;

  const conflict = { code: "CONFLICT", message: /anna is typing; take the lease/ };
  const typed = { session: "guarded", text: "refused\n" };
  let passed = 0;
  for (const attempt of [
    async () => await ben.write(Buffer.from(typed.text)),
    async () => await client.call("sessions.input", typed),
    async () => await client.call("sessions.keys", { session: "guarded", keys: ["Enter"] }),
    async () => await client.call("sessions.exec", { session: "guarded", command: "refused", timeoutMs: 10 }),
  ]) {
    const refused = await refusal(attempt);
    assert.throws(() => throwAgain(refused.error), conflict);
    passed += refused.passed;
  }
  for (let item = await toBen.next(); ; item = await toBen.next()) {
    assert.ok(item.done !== true, "the attachment ended");
    if (item.value.type !== "error") continue;
    assert.deepEqual([item.value.code, item.value.message.includes("anna is typing")], ["CONFLICT", true]);
    break;
  }
  clearInterval(holding);
  // What anna has taken before is taken by then.
  await anna.write(Buffer.from("held by anna\n"));

  await client.call("sessions.input", { ...typed, text: "over HTTP\n", take: true });
  assert.equal((await client.call("sessions.get", { session: "guarded" })).writer, null);
  await anna.write(Buffer.from("of anna\n"));
  await home.ok("wait", "guarded", "--for", "output:of anna");
  ben.take();
  await ben.write(Buffer.from("of ben\n"));
  // A keyboard that takes with each key, as "lectern attach" does.
  await using carol = await client.attach("guarded", { take: true });
  await home.ok("wait", "guarded", "--for", "output:of ben");
  await carol.write(Buffer.from("of carol\n"));
  await home.ok("wait", "guarded", "--for", "output:of carol");
  const lines = (await client.call("sessions.logs", { session: "guarded" })).text.trim().split(/\s*\n/);
  const others = lines.filter((line) => !line.includes("refused"));
  assert.deepEqual(others, ["ready", "held by anna", "over HTTP", "of anna", "of ben", "of carol"]);
  assert.ok(lines.length - others.length <= passed, lines.join());
});

test("a write that has resolved is in the journal, and a refused one is not", async () => {
  await home.ok("run", "-d", "--name", "written", "--", "bash", "-c", "stty raw -echo; echo ready; exec sleep 1000");
  await home.ok("wait", "written", "--for", "output:ready");
  await using anna = await client.attach("written", { name: "anna" });
  await using ben = await client.attach("written", { name: "ben" });
  const holding = setInterval(() => anna.take(), 300);
  const { end } = await client.call("sessions.get", { session: "written" });
  await anna.write(Buffer.from("of anna"));
  const grown = await client.call("sessions.get", { session: "written" });
  assert.ok(grown.end >= end + "of anna".length);
  const { error, passed } = await refusal(async () => await ben.write(Buffer.from("refused")));
  assert.throws(() => throwAgain(error), { code: "CONFLICT" });
  clearInterval(holding);
  await anna.write(Buffer.from("of anna again"));
  ben.take();
  await ben.write(Buffer.from("of ben"));
  const whole = await client.call("sessions.get", { session: "written" });
  await using reader = await client.attach("written", { from: 0, readOnly: true });
  let inputs = 0;
  for await (const item of reader) {
    if (item.type === "input") inputs += 1;
    if ("next" in item && item.next >= whole.end) break;
  }
  assert.equal(inputs, 3 + passed);
});

test("a focus report of a terminal is nobody who types", async () => {
  await home.ok("run", "-d", "--name", "focus", "--", "cat");
  await using page = await client.attach("focus", { name: "a page" });
  const items = page[Symbol.asyncIterator]();
  await page.write(Buffer.from("\u001B[I"));
  for (;;) {
    const { value } = await items.next();
    assert.notEqual(value?.type, "writer");
    if (value?.type === "input") break;
  }
  assert.equal((await client.call("sessions.get", { session: "focus" })).writer, null);
});

test("a prompt that is being typed is taken over, and its receipt says so", async () => {
  // It shows nothing of what is typed, so the prompt waits for its echo before Enter.
  const program = "stty -echo -icanon; echo '> '; exec cat > /dev/null";
  await home.ok("run", "-d", "--name", "prompted", "--", "bash", "--norc", "-c", program);
  await home.ok("wait", "prompted", "--for", "output:> ");
  await using page = await client.attach("prompted", { name: "a page" });
  const items = page[Symbol.asyncIterator]();
  await client.call("sessions.prompt", { session: "prompted", text: "do it", key: "p1", force: true });
  await untilWriter(items, { writer: 'prompt "p1"', isMine: false });
  page.take();
  const receipt = await client.call("sessions.receipt", { session: "prompted", key: "p1", waitMs: 60_000 });
  assert.equal(receipt.state, "failed");
  assert.match(receipt.reason ?? "", /a person at a keyboard took over/);
});
