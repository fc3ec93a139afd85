/** Run by scripts/other-runtimes on Bun and Deno: what needs no pty works, over both transports, and the rest says why it does not. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { attachTerminal, LecternClient, openSession, openTerminal } from "lectern";
import { Sanitizer } from "lectern/core";
import { checkPolicy, decide } from "lectern/gate";
import { SseReader, WireReader } from "lectern/llm";

const encoder = new TextEncoder();
const sanitizer = new Sanitizer();
assert.equal(sanitizer.feed(encoder.encode("\u001B[1mdone\u001B[m\r\n 50%\r100%")), "done\n");
assert.equal(sanitizer.pending, "100%");
assert.deepEqual(
  new SseReader().feed(encoder.encode("id: 1\ndata: {}\n\n")).map(({ data }) => data),
  ["{}"],
);
assert.equal(typeof WireReader, "function");
assert.equal(typeof decide, "function");
assert.equal(typeof checkPolicy, "function");

const overSocket = await LecternClient.connect({ start: false });
const { dataDirectory, listen } = await overSocket.daemon.info();
const url = listen.find((place) => place.startsWith("http"));
const overTcp = new LecternClient({ url, token: readFileSync(`${dataDirectory}/token`, "utf8").trim() });
for (const client of [overSocket, overTcp]) {
  const { id } = await client.call("sessions.create", { command: ["bash", "--norc"] });
  const { output, exitCode } = await client.call("sessions.exec", { session: id, command: "echo hello; (exit 3)" });
  assert.deepEqual([output, exitCode], ["hello\n", 3]);
  const attachment = await client.attach(id, { from: 0 });
  await attachment.write(encoder.encode("echo $((6 * 7)); exit\n"));
  let text = "";
  for await (const item of attachment) if (item.type === "output") text += new TextDecoder().decode(item.bytes);
  assert.match(text, /42\r\nexit/);
  const types = [];
  for await (const record of client.follow(id, { from: 0 })) types.push(record.type);
  assert.equal(types.at(-1), "exit");
}
const { id } = await overSocket.call("sessions.create", { command: ["bash", "--norc"] });
const terminal = await attachTerminal(overSocket, id);
assert.equal((await terminal.run("echo from a session")).output, "from a session\n");
await terminal.close();

for (const open of [openTerminal, openSession])
  await assert.rejects(open("bash"), ({ code, message }) => {
    console.log(`${code}: ${message}`);
    return code === "NOT_AVAILABLE" && /needs Node 24/.test(message);
  });
