/** A machine behind a real sshd, once more: what machines-attach.test.ts has without it. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { bytesOf } from "../../support/machine-attachment.ts";
import { SshServer } from "../../support/ssh-server.ts";
import { CliHome } from "../cli-home.ts";

const FLOOD_BYTES = 20_000_000;

const ssh = await SshServer.start();
const box = new CliHome();
const home = new CliHome();
after(async () => {
  await home.run(["hosts", "rm", "box"]);
  await home[Symbol.asyncDispose]();
  await box[Symbol.asyncDispose]();
  await ssh[Symbol.asyncDispose]();
});
await home.ok("hosts", "add", "box", ...ssh.hostArguments(box.paths.dataDirectory));
await home.startDaemon("--no-tcp");
const { client } = home;

const outputThere = async (session: string): Promise<Buffer> => await bytesOf(box.client, session);

test("a flood of 20 MB comes whole", async () => {
  const command: [string, ...string[]] = ["sh", "-c", `yes pomegranate | head -c ${FLOOD_BYTES}`];
  await box.client.call("sessions.create", { command, name: "flood" });
  await using attachment = await client.attach("box/flood", { from: 0, lossless: true });
  const chunks: Uint8Array[] = [];
  for await (const item of attachment) if (item.type === "output") chunks.push(item.bytes);
  assert.ok(Buffer.concat(chunks).equals(await outputThere("flood")));
});
