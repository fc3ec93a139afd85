/** The input lease over an attachment, against a real daemon: who types is told, and taken over. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { AttachmentItem } from "../../src/client/item-queue.ts";
import { CliHome } from "./cli-home.ts";

const home = new CliHome();
after(() => home[Symbol.asyncDispose]());
await home.ok("up", "--detach", "--port", "0");
const { client } = home;

/** The next word about who types. */
async function nextWriter(items: AsyncIterator<AttachmentItem>): Promise<{ writer: string | null; isMine: boolean }> {
  for (;;) {
    const { value, done } = await items.next();
    assert.ok(done !== true, "the attachment ended");
    if (value.type === "writer") return { writer: value.writer, isMine: value.isMine };
  }
}

test("readers with a name hear who types, and one takes over from the other without typing", async () => {
  await home.ok("run", "-d", "--name", "pair", "--", "cat");
  await using anna = await client.attach("pair", { name: "anna" });
  await using ben = await client.attach("pair", { name: "ben" });
  const [toAnna, toBen] = [anna[Symbol.asyncIterator](), ben[Symbol.asyncIterator]()];
  await anna.write(Buffer.from("a"));
  assert.deepEqual(await nextWriter(toAnna), { writer: "anna", isMine: true });
  assert.deepEqual(await nextWriter(toBen), { writer: "anna", isMine: false });
  const { end } = await client.call("sessions.get", { session: "pair" });
  ben.take();
  assert.deepEqual(await nextWriter(toBen), { writer: "ben", isMine: true });
  assert.deepEqual(await nextWriter(toAnna), { writer: "ben", isMine: false });
  const { records } = await client.call("sessions.records", { session: "pair", from: end });
  assert.deepEqual(
    records.filter(({ type }) => type === "input"),
    [],
  );
  // One that comes later is told at once. Nobody takes it again, so it lapses.
  const taking = setInterval(() => ben.take(), 300);
  await using carol = await client.attach("pair", { name: "carol", readOnly: true });
  const toCarol = carol[Symbol.asyncIterator]();
  assert.deepEqual(await nextWriter(toCarol), { writer: "ben", isMine: false });
  assert.equal((await client.call("sessions.get", { session: "pair" })).writer, "ben");
  clearInterval(taking);
  assert.deepEqual(await nextWriter(toCarol), { writer: null, isMine: false });
});

test("keys of a reader that does not hold the lease are refused, over a WebSocket and over HTTP, until it takes over", async () => {
  await home.ok("run", "-d", "--name", "guarded", "--", "bash", "-c", "stty -echo; echo ready; exec cat");
  await home.ok("wait", "guarded", "--for", "output:ready");
  await using anna = await client.attach("guarded", { name: "anna" });
  await using ben = await client.attach("guarded");
  const toBen = ben[Symbol.asyncIterator]();
  const holding = setInterval(() => anna.take(), 300);
  const heard = nextWriter(anna[Symbol.asyncIterator]());
  anna.take();
  assert.deepEqual(await heard, { writer: "anna", isMine: true });

  await assert.rejects(ben.write(Buffer.from("refused\n")), {
    code: "CONFLICT",
    message: /anna is typing; take the lease/,
  });
  for (let item = await toBen.next(); ; item = await toBen.next()) {
    assert.ok(item.done !== true, "the attachment ended");
    if (item.value.type !== "error") continue;
    assert.deepEqual([item.value.code, item.value.message.includes("anna is typing")], ["CONFLICT", true]);
    break;
  }
  const typed = { session: "guarded", text: "refused\n" };
  await assert.rejects(client.call("sessions.input", typed), { code: "CONFLICT" });
  await assert.rejects(client.call("sessions.keys", { session: "guarded", keys: ["Enter"] }), { code: "CONFLICT" });
  await assert.rejects(client.call("sessions.exec", { session: "guarded", command: "true" }), { code: "CONFLICT" });
  clearInterval(holding);

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
  const { text } = await client.call("sessions.logs", { session: "guarded" });
  assert.deepEqual(text.trim().split(/\s*\n/), ["ready", "over HTTP", "of anna", "of ben", "of carol"]);
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
  await assert.rejects(ben.write(Buffer.from("refused")), { code: "CONFLICT" });
  clearInterval(holding);
  ben.take();
  await ben.write(Buffer.from("of ben"));
  const whole = await client.call("sessions.get", { session: "written" });
  await using reader = await client.attach("written", { from: 0, readOnly: true });
  let inputs = 0;
  for await (const item of reader) {
    if (item.type === "input") inputs += 1;
    if ("next" in item && item.next >= whole.end) break;
  }
  assert.equal(inputs, 2);
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
  await client.call("sessions.prompt", { session: "prompted", text: "do it", key: "p1" });
  assert.deepEqual(await nextWriter(items), { writer: 'prompt "p1"', isMine: false });
  page.take();
  const receipt = await client.call("sessions.receipt", { session: "prompted", key: "p1", waitMs: 60_000 });
  assert.equal(receipt.state, "failed");
  assert.match(receipt.reason ?? "", /a person at a keyboard took over/);
});
