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

test("A54 of 3,000 idle connections 500 are kept, and the unix socket answers", options, async () => {
  // Their own deadline would free places while the others still come.
  await using patient = await startMemoryServer({
    limits: { headersMs: 60_000 },
    also: [{ kind: "unix", path: floodPath }],
  });
  const sockets: Socket[] = [];
  try {
    for (let wave = 0; wave < 30; wave += 1) {
      const ended = Array.from({ length: 100 }, () => settled(sockets, patient.port));
      await Promise.all(wave < 5 ? [] : ended);
      if (wave === 5) assert.equal(await statusOverUnix(floodPath), 200);
    }
    assert.equal(sockets.filter((socket) => !socket.closed).length, 500);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});

/** Opens a connection and resolves when the other side has closed it. */
function settled(sockets: Socket[], port: number): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  sockets.push(socket);
  socket.on("error", () => {}).resume();
  return new Promise((resolve) => void socket.once("close", () => resolve()));
}

test("connections that never say anything do not keep others out for long", options, async () => {
  const sockets = Array.from({ length: 500 }, () => connect(where).on("error", () => {}));
  await Promise.all(sockets.map((socket) => new Promise((resolve) => void socket.once("close", resolve).resume())));
  const answer = await fetch(`${memory.url}/healthz`);
  assert.equal(answer.status, 200);
  await answer.body?.cancel();
});

function statusOverUnix(path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request({ socketPath: path, path: "/v1/sessions" }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on("error", reject)
      .end();
  });
}
