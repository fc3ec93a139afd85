/** The daemon here as the one client of a machine behind a real sshd, and what happens when the connection ends. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { DaemonUpdate } from "../../src/client.ts";
import { launcher } from "../support/launcher.ts";
import { linesUntil } from "../support/lines-until.ts";
import { bytesOf } from "../support/machine-attachment.ts";
import { SshServer } from "../support/ssh-server.ts";
import { until } from "../support/until.ts";
import { CliHome } from "./cli-home.ts";

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

test("the daemon lists the host, and serves its sessions", async () => {
  const created = await client.on("box").call("sessions.create", { command: ["cat"], name: "echo" });
  assert.equal((await box.client.call("sessions.get", { session: "echo" })).id, created.id);
  const { machines } = await client.call("machines.list", {});
  assert.deepEqual(
    machines.map(({ name, link, state }) => [name, link, state]),
    [["box", "ssh", "connected"]],
  );
  await client.call("sessions.input", { session: "box/echo", text: "pomegranate", enter: true });
  const found = { type: "output", pattern: "pomegranate" } as const;
  assert.equal((await client.call("sessions.wait", { session: "box/echo", for: found, from: 0 })).reason, "output");
});

test("a connection that is cut costs a pause: the attachment resumes, and no line is lost", async () => {
  const go = join(box.directory, "go");
  await box.client.call("sessions.create", { command: ["sh", "-c", linesUntil(go)], name: "lines" });
  await using attachment = await client.attach("box/lines", { from: 0, lossless: true, reconnectMsMax: 500 });
  const chunks: Uint8Array[] = [];
  const seen: string[] = [];
  let isCut = false;
  for await (const item of attachment) {
    if (item.type === "output") chunks.push(item.bytes);
    else if (item.type !== "mark") seen.push(item.type);
    if (item.type === "disconnected") writeFileSync(go, "");
    if (!isCut && item.type === "output") ssh.cut();
    isCut ||= item.type === "output";
  }
  assert.deepEqual(seen, ["disconnected", "reconnected", "exit"]);
  assert.ok(Buffer.concat(chunks).equals(await outputThere("lines")));
});

test("a model opens a session on the host over standard input and output, and finds it in the list", async () => {
  const model = new Client({ name: "tests", version: "1.0.0" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [launcher, "mcp"],
    env: home.environment,
    stderr: "inherit",
  });
  await model.connect(transport);
  try {
    const use = async (name: string, input: Readonly<Record<string, unknown>>) =>
      (await model.callTool({ name, arguments: input })).structuredContent as Readonly<Record<string, unknown>>;
    const command = ["bash", "--norc", "--noprofile"];
    const opened = await use("open", { command, name: "shell", machine: "box" });
    assert.equal(opened["name"], "box/shell");
    const ran = await use("run", { session: "box/shell", command: "pwd; (exit 3)" });
    assert.deepEqual([ran["output"], ran["exitCode"]], [`${ssh.home}\n`, 3]);
    // A machine that does not answer soon is listed as away.
    let listed = await use("list", { machines: true });
    const isThere = (): boolean => /"box".*"connected"/.test(JSON.stringify(listed["machines"]));
    while (!isThere()) listed = await use("list", { machines: true });
    assert.ok(JSON.stringify(listed["sessions"]).includes('"box/shell"'));
    await use("close", { session: "box/shell" });
  } finally {
    await model.close();
  }
});

test("a machine that is gone is away with the reason, and comes back by itself", async () => {
  const over = new AbortController();
  const updates: DaemonUpdate[] = [];
  const read = async (): Promise<void> => {
    const options = { list: true, machines: true, over: "socket", signal: over.signal } as const;
    for await (const update of client.daemonUpdates(options)) updates.push(update);
  };
  read().catch(() => undefined);
  const last = () => updates.findLast((update) => update.kind === "machine")?.view;
  const lists = (): number => updates.filter(({ kind, ...rest }) => kind === "list" && "machine" in rest).length;
  try {
    await until(() => lists() > 0);
    const before = lists();
    await ssh.kill();
    await until(() => last()?.state === "away");
    await until(() => last()?.state === "away" && /refused/.test(last()?.reason ?? ""));
    assert.equal((await client.call("sessions.list", {})).sessions.length, 0);
    await ssh.restart();
    await until(() => lists() > before && last()?.state === "connected");
  } finally {
    over.abort();
  }
});
