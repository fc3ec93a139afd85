/** The limits of the server as they are by default: slow heads, slow bodies, a flood of connections. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { tokens } from "../support/memory-service.ts";
import { startMemoryServer } from "../support/memory-server.ts";
import { openSocket } from "../support/raw-http.ts";
import { until } from "../support/until.ts";

const directory = mkdtempSync(join(tmpdir(), "lectern-"));
const floodPath = join(directory, "flood.sock");
const memory = await startMemoryServer();
after(async () => {
  await memory[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});
const where = { host: "127.0.0.1", port: memory.port };
const options = { timeout: 30_000 };

test("A52 a head that comes one byte at a time is answered with 408", options, async () => {
  const { socket, received, closed } = await openSocket(where);
  const head = `GET /v1/sessions HTTP/1.1\r\nHost: 127.0.0.1:${memory.port}\r\nX: ${"x".repeat(1000)}`;
  const bytes = head[Symbol.iterator]();
  const dripping = setInterval(() => socket.write(bytes.next().value ?? "x"), 50);
  socket.on("error", () => {});
  await closed;
  clearInterval(dripping);
  assert.match(received(), /^HTTP\/1\.1 408 /);
  assert.match(received(), /application\/problem\+json/);
});

test("A53 a body that comes one byte at a time is answered with 408", options, async () => {
  const { socket, received, closed } = await openSocket(where);
  socket.on("error", () => {});
  socket.write(
    `POST /v1/sessions HTTP/1.1\r\nHost: 127.0.0.1:${memory.port}\r\nAuthorization: Bearer ${tokens.admin}\r\n` +
      "Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n",
  );
  const dripping = setInterval(() => socket.write("["), 50);
  await closed;
  clearInterval(dripping);
  assert.match(received(), /^HTTP\/1\.1 408 /);
});

test("A54 of 3,000 idle connections at most 256 are kept, the newest, and both listeners answer", async () => {
  // Their own deadline would free places while the others still come.
  await using patient = await startMemoryServer({
    limits: { headersMs: 180_000 },
    also: [{ kind: "unix", path: floodPath }],
  });
  const sockets: Socket[] = [];
  try {
    for (let wave = 0; wave < 30; wave += 1) {
      await Promise.all(Array.from({ length: 100 }, () => opened(sockets, patient.port)));
      // The kernel connects them before the server takes them, in their order as long as its queue has room. This one is taken last.
      assert.equal(await statusOf({ host: "127.0.0.1", port: patient.port }), 200);
    }
    assert.equal(await statusOf({ socketPath: floodPath }), 200);
    assert.equal(await statusOf({ host: "127.0.0.1", port: patient.port }), 200);
    // On a machine without a processor this end learns of some later than of others.
    await until(() => {
      const open = sockets.filter((socket) => !socket.closed);
      const areNewest = sockets.slice(-open.length).every((socket) => !socket.closed);
      return areNewest && open.length <= 256 && open.length > 100;
    }, "the newest are kept");
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});

/** Opens a connection that says nothing. */
function opened(sockets: Socket[], port: number): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  sockets.push(socket);
  socket.on("error", () => {}).resume();
  return new Promise((resolve) => void socket.once("connect", () => resolve()).once("close", () => resolve()));
}

test("connections that never say anything are closed", options, async () => {
  const sockets = Array.from({ length: 200 }, () => connect(where).on("error", () => {}));
  await Promise.all(sockets.map((socket) => new Promise((resolve) => void socket.once("close", resolve).resume())));
});

/** On a connection of its own. */
function statusOf(listener: { socketPath: string } | { host: string; port: number }): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${tokens.admin}` };
  return new Promise((resolve, reject) => {
    request({ ...listener, headers, path: "/v1/sessions", agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on("error", reject)
      .end();
  });
}
