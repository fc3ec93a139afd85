/** Sessions of other machines of a cluster, once more: what machines-attach.test.ts has of a link without a server between. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, test } from "node:test";
import type { Attachment, AttachmentOptions } from "../../../src/client/attachment.ts";
import { unixTransport } from "../../../src/client/unix-transport.ts";
import { ClusterHomes } from "../../support/cluster-homes.ts";
import { attachToBox, bytesOf, outputOf } from "../../support/machine-attachment.ts";

const members = { box: "machine", build: "machine", laptop: "operator", eye: "viewer" } as const;
const cluster = await ClusterHomes.start(members, 3);
after(() => cluster[Symbol.asyncDispose]());
const box = cluster.home("box");
const laptop = cluster.home("laptop");
const transport = unixTransport(laptop.paths.daemonSocket);

const FLOOD_BYTES = 20_000_000;
const PASTE_BYTES = 900_000;
const attach = (session: string, query: string, options: AttachmentOptions = {}): Attachment =>
  attachToBox(transport, session, query, options);

const outputThere = async (session: string): Promise<Buffer> => await bytesOf(box.client, session);

test("what is typed arrives there, and what is printed here; the exit ends it", async () => {
  await box.client.call("sessions.create", { command: ["cat"], name: "echo" });
  await using attachment = attach("echo", "");
  await attachment.attached;
  await attachment.write(Buffer.from("pomegranate\n\u0004"));
  assert.match((await outputOf(attachment)).toString(), /pomegranate\r\npomegranate/);
  assert.partialDeepStrictEqual(attachment.ended, {
    reason: "exit",
    exit: { reason: "exited", code: 0, signal: null },
  });
});

test("a large paste arrives there whole", async () => {
  const command: [string, ...string[]] = ["sh", "-c", `stty raw -echo; echo ready; head -c ${PASTE_BYTES} | sha1sum`];
  await box.client.call("sessions.create", { command, name: "paste" });
  await box.client.call("sessions.wait", { session: "paste", for: { type: "output", pattern: "ready" }, from: 0 });
  await using attachment = attach("paste", "", { from: 0 });
  const output = outputOf(attachment);
  const text = Buffer.alloc(PASTE_BYTES, "0123456789");
  await attachment.write(text);
  assert.match((await output).toString(), new RegExp(createHash("sha1").update(text).digest("hex")));
});

test("a flood of 20 MB comes whole, to a reader that pauses, too", async () => {
  const command: [string, ...string[]] = ["sh", "-c", `yes pomegranate | head -c ${FLOOD_BYTES}`];
  await box.client.call("sessions.create", { command, name: "flood" });
  await using attachment = attach("flood", "lossless=true", { from: 0, bufferBytesMax: 65_536 });
  const chunks: Uint8Array[] = [];
  for await (const item of attachment) {
    if (item.type === "output") chunks.push(item.bytes);
    if (chunks.length % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const [here, there] = [Buffer.concat(chunks), await outputThere("flood")];
  assert.ok(here.length >= FLOOD_BYTES);
  assert.ok(here.equals(there));
});
