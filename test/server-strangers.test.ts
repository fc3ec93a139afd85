/** Strangers over TCP, by real connections: they take places from each other, never from who has a token. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { test, type TestContext } from "node:test";
import { WebSocket } from "ws";
import { tokens } from "./support/memory-service.ts";
import { startMemoryServer, type MemoryServer } from "./support/memory-server.ts";
import { cannotBeOther } from "./support/needs.ts";
import { openSocket, sendRaw, type RawAnswer } from "./support/raw-http.ts";

/** Nothing here ends by a deadline. */
const patient = { headersMs: 120_000, bodyMs: 120_000, keepAliveMs: 120_000 };

const requestOf = (port: number, ...lines: readonly string[]): string =>
  [`GET /v1/sessions HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...lines, "", ""].join("\r\n");
const bearer = `Authorization: Bearer ${tokens.admin}`;

/** What a stranger sends, and then never closes. */
const floods: Readonly<Record<string, (port: number) => string>> = {
  "a health check": (port) => requestOf(port).replace("/v1/sessions", "/healthz"),
  "half a head": (port) => requestOf(port).slice(0, -8),
  "half a body": (port) =>
    `POST /login HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
  "nothing at all": () => "",
  "a wrong token": (port) => requestOf(port, "Authorization: Bearer wrong"),
  "an upgrade without a token": (port) =>
    requestOf(
      port,
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      `Sec-WebSocket-Key: ${"A".repeat(22)}==`,
    ).replace("/v1/sessions", "/v1/sessions/one/attach"),
};

interface Flood extends Disposable {
  readonly sockets: readonly Socket[];
}

/** Opens connections, at most 50 at a time, each with the same words. */
async function flood(memory: MemoryServer, words: string, connections: number): Promise<Flood> {
  const sockets: Socket[] = [];
  for (let wave = 0; wave < connections; wave += 50) {
    const opened = Array.from({ length: Math.min(50, connections - wave) }, async () => {
      const socket = connect({ host: "127.0.0.1", port: memory.port }, () => void socket.write(words));
      sockets.push(socket.on("error", () => undefined).resume());
      await Promise.race([once(socket, "connect"), once(socket, "close")]);
    });
    await Promise.all(opened);
  }
  return { sockets, [Symbol.dispose]: () => sockets.forEach((socket) => socket.destroy()) };
}

for (const [name, wordsOf] of Object.entries(floods)) {
  test(`who has a token is answered while 1,000 connections send ${name}`, async () => {
    await using memory = await startMemoryServer({ limits: patient });
    const { port } = memory;
    const where = { host: "127.0.0.1", port };
    // A page that is open: a connection that is kept, and a WebSocket.
    const page = await openSocket(where);
    const cookie = `Cookie: lectern-${port}=${tokens.read}`;
    page.socket.on("error", assert.ifError).write(requestOf(port, cookie));
    await once(page.socket, "data");
    const attached = new WebSocket(`ws://127.0.0.1:${port}/v1/sessions/one/attach`, [
      "lectern.v1",
      `lectern.bearer.${tokens.read}`,
    ]);
    attached.on("error", assert.ifError);
    await once(attached, "open");

    using _ = await flood(memory, wordsOf(port), 1000);

    const answers: Promise<RawAnswer>[] = Array.from({ length: 20 }, () => sendRaw(where, requestOf(port, bearer)));
    assert.deepEqual(
      (await Promise.all(answers)).map(({ status }) => status),
      answers.map(() => 200),
    );
    const before = page.received().length;
    page.socket.write(requestOf(port, cookie, "Connection: close"));
    await page.closed;
    assert.match(page.received().slice(before), /^HTTP\/1\.1 200 /);
    attached.ping();
    await once(attached, "pong");
    attached.terminate();
  });
}

test("a token on a path that needs none keeps the connection, too", async () => {
  await using memory = await startMemoryServer({ limits: { ...patient, strangersMax: 4 } });
  const { port } = memory;
  const health = (...lines: readonly string[]): string => requestOf(port, ...lines).replace("/v1/sessions", "/healthz");
  const known = await openSocket({ host: "127.0.0.1", port });
  known.socket.write(health(bearer));
  await once(known.socket, "data");
  const unknown = await openSocket({ host: "127.0.0.1", port });
  unknown.socket.on("error", () => undefined).write(health("Authorization: Bearer wrong"));
  await once(unknown.socket, "data");
  using _ = await flood(memory, health(), 50);
  await unknown.closed;
  known.socket.write(health("Connection: close"));
  await known.closed;
  assert.equal(known.received().match(/HTTP\/1\.1 200 /g)?.length, 2);
});

test("connections with a token beyond their limit are answered, as strangers", async () => {
  await using memory = await startMemoryServer({ limits: { ...patient, strangersMax: 4, authenticatedMax: 1 } });
  const where = { host: "127.0.0.1", port: memory.port };
  const [first, second] = [await openSocket(where), await openSocket(where)];
  for (const { socket } of [first, second]) {
    socket.on("error", () => undefined).write(requestOf(memory.port, bearer));
    await once(socket, "data");
  }
  using _ = await flood(memory, "", 50);
  await second.closed;
  assert.match(second.received(), /^HTTP\/1\.1 200 /);
  first.socket.write(requestOf(memory.port, bearer, "Connection: close"));
  await first.closed;
  assert.equal(first.received().match(/HTTP\/1\.1 200 /g)?.length, 2);
});

/**
 * As another user, from many addresses, opens connections for ever and closes none; prints a line after the first 500. The pauses leave the
 * server of this test, which runs on the same processors, some of them.
 */
const otherUser = `
const port = Number(process.argv[1]);
process.setgid(65534);
process.setuid(65534);
const { connect } = require("node:net");
let opened = 0;
function open() {
  const localAddress = "127.0." + (opened++ % 200) + ".7";
  connect({ host: "127.0.0.1", port, localAddress }, () => setTimeout(open, 100)).on("error", () => {}).resume();
  if (opened === 500) console.log("open");
}
for (let i = 0; i < 20; i++) open();
`;

async function floodAsOther(context: TestContext, port: number): Promise<void> {
  const child = spawn(process.execPath, ["-e", otherUser, String(port)], { stdio: ["ignore", "pipe", "inherit"] });
  context.after(() => child.kill("SIGKILL"));
  await once(createInterface({ input: child.stdout }), "line");
}

test("another user's flood, from many addresses, takes no place of this user", async (context) => {
  if (cannotBeOther(context)) return;
  await using memory = await startMemoryServer({ limits: { ...patient, strangersMax: 64 } });
  using mine = await flood(memory, "", 20);
  for (const socket of mine.sockets) socket.on("close", () => assert.fail("a connection of this user was closed"));
  await floodAsOther(context, memory.port);
  for (let attempt = 0; attempt < 8; attempt++) {
    const { status } = await sendRaw({ host: "127.0.0.1", port: memory.port }, requestOf(memory.port, bearer));
    assert.equal(status, 200);
  }
  for (const socket of mine.sockets) socket.removeAllListeners("close");
});
