/** A machine that sends what no daemon of ours sends: its answers are those of a stranger, and the daemon here goes on. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { WebSocketServer, type WebSocket } from "ws";
import type { DaemonUpdate } from "../../src/client.ts";
import { readText } from "../../src/client/transport-errors.ts";
import { TwoMachines } from "../support/two-machines.ts";
import { until } from "../support/until.ts";

const two = await TwoMachines.start();
after(() => two[Symbol.asyncDispose]());
const { client, here, machines, transport } = two;

const directory = mkdtempSync(join(tmpdir(), "lectern-test-"));
const socketPath = join(directory, "hostile.sock");
/** Sent to each reader of updates, one after the other. */
const frames: readonly string[] = [
  "no JSON",
  "5",
  '[{"kind":"list"}]',
  '[{"kind":"session","session":5,"view":{}}]',
  '[{"kind":"machine","machine":"box","view":null}]',
  '[{"kind":"session","machine":"box","session":"../local","view":null}]',
];
let sent = 0;
const server = createServer((incoming, outgoing) => {
  if (incoming.url === "/healthz") return void outgoing.end("{}");
  outgoing.setHeader("set-cookie", "lectern-1=stolen");
  outgoing.setHeader("access-control-allow-origin", "*");
  outgoing.setHeader("content-security-policy", "default-src *");
  outgoing.setHeader("location", "http://example.invalid/");
  outgoing.setHeader("content-type", "text/html");
  outgoing.end("<script>alert(1)</script>");
});
const sockets = new WebSocketServer({ server });
sockets.on("connection", (socket: WebSocket) => {
  socket.on("error", () => undefined);
  socket.send(frames[sent % frames.length] ?? "");
  socket.close(1000);
  sent += 1;
});
server.listen(socketPath);
await once(server, "listening");
machines.add("evil", socketPath);
after(() => {
  for (const socket of sockets.clients) socket.terminate();
  server.close();
  server.closeAllConnections();
  rmSync(directory, { recursive: true, force: true });
});

test("of an answer only the body passes, which no browser takes for a page", async () => {
  const response = await transport.request({ method: "GET", path: "/v1/machines/evil/sessions", headers: {} });
  const text = await readText(response.chunks, 1000);
  assert.equal(text, "<script>alert(1)</script>");
  const headers = ["content-type", "set-cookie", "access-control-allow-origin", "location", "x-content-type-options"];
  assert.deepEqual(
    headers.map((name) => response.header(name)),
    [undefined, undefined, undefined, undefined, "nosniff"],
  );
  assert.match(response.header("content-security-policy") ?? "", /^default-src 'none'/);
});

test("updates that make no sense end that stream, and touch no other machine", async () => {
  await here.run(["cat"], { name: "local" });
  const over = new AbortController();
  const updates: DaemonUpdate[] = [];
  const touched = (): string[] =>
    updates.flatMap((update) => ("session" in update && update.machine === "evil" ? [update.session] : []));
  const read = async (): Promise<void> => {
    const options = { list: true, machines: true, over: "socket", signal: over.signal } as const;
    for await (const update of client.daemonUpdates(options)) updates.push(update);
  };
  read().catch(() => undefined);
  try {
    await until(() => sent >= frames.length);
    await here.run(["true"], { name: "after" });
    await until(() => updates.some((update) => update.kind === "session" && update.view?.name === "after"));
    await until(() => touched().length > 0, "what it says of its own session comes");
  } finally {
    over.abort();
  }
  for (const session of touched()) assert.match(session, /^evil\//);
  assert.ok(!updates.some((update) => update.kind === "machine" && update.view === null));
});
