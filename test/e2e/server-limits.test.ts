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
const path = join(directory, "daemon.sock");
const memory = await startMemoryServer({ also: [{ kind: "unix", path }] });
after(async () => {
  await memory[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});
const where = { host: "127.0.0.1", port: memory.port };
const options = { timeout: 30_000 };

test("A52 a head that comes one byte at a time is answered with 408", options, async () => {
  const { socket, received, closed } = await openSocket(where);
  const head = `GET /v1/sessions HTTP/1.1\r\nHost: 127.0.0.1:${memory.port}\r\nX: ${"x".repeat(1000)}`;
  let sent = 0;
  const dripping = setInterval(() => socket.write(head[(sent += 1)] ?? "x"), 50);
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
  const sockets: Socket[] = [];
  let closed = 0;
  const dropped = Promise.withResolvers<void>();
  for (let index = 0; index < 3000; index += 1) {
    const socket = connect(where);
    socket.on("error", () => {});
    socket.once("close", () => {
      closed += 1;
      if (closed === 2500) dropped.resolve();
    });
    sockets.push(socket);
  }
  await dropped.promise;
  assert.equal(await statusOverUnix(), 200);
  const open = sockets.filter((socket) => !socket.closed).length;
  for (const socket of sockets) socket.destroy();
  assert.equal(open, 500);
});

test("connections that never say anything do not keep others out for long", options, async () => {
  const sockets = Array.from({ length: 500 }, () => connect(where).on("error", () => {}));
  await Promise.all(sockets.map((socket) => new Promise((resolve) => void socket.once("close", resolve).resume())));
  const answer = await fetch(`${memory.url}/healthz`);
  assert.equal(answer.status, 200);
  await answer.body?.cancel();
});

function statusOverUnix(): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request({ socketPath: path, path: "/v1/sessions" }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on("error", reject)
      .end();
  });
}
