/** Where the server listens, what it refuses to use, and what a browser, a file or a log never gets. */
import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { request } from "node:http";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { LecternError } from "../src/core/errors.ts";
import { createLogger, escapeLine } from "../src/server/log.ts";
import { startServer, type ListenerOptions, type RunningServer } from "../src/server/server.ts";
import { MemoryService, tokens } from "./support/memory-service.ts";
import { startMemoryServer } from "./support/memory-server.ts";
import { openSocket, sendRaw } from "./support/raw-http.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "lectern-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const silent = createLogger({ write: () => true }, "silent");
const start = (...listeners: ListenerOptions[]): Promise<RunningServer> =>
  startServer({ service: new MemoryService(), logger: silent, listeners });
const unix = (path: string): ListenerOptions => ({ kind: "unix", path });

async function refusal(...listeners: ListenerOptions[]): Promise<LecternError> {
  try {
    await using server = await start(...listeners);
    assert.fail(`It listens: ${JSON.stringify(server.listeners)}`);
  } catch (error) {
    if (error instanceof LecternError) return error;
    throw error;
  }
}

function getOver(path: string, headers: Record<string, string> = {}, target = "/v1/sessions"): Promise<number> {
  return new Promise((resolve, reject) => {
    request({ socketPath: path, path: target, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on("error", reject)
      .end();
  });
}

test("a unix socket is 0600 in a directory 0700 that is made, and is gone afterwards", async () => {
  const path = join(directory, "run", "daemon.sock");
  const server = await start(unix(path));
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(statSync(join(directory, "run")).mode & 0o777, 0o700);
  await server.close();
  assert.ok(!existsSync(path));
});

test("a unix socket needs no token, only a Host of ours and no Origin", async () => {
  const path = join(directory, "daemon.sock");
  await using _server = await start(unix(path));
  const rows: readonly [Record<string, string>, number][] = [
    [{}, 200],
    [{ host: "lectern" }, 200],
    [{ host: "evil.example" }, 421],
    [{ host: "localhost:80" }, 421],
    [{ origin: "http://localhost" }, 403],
    [{ origin: "null" }, 403],
    [{ "sec-fetch-site": "cross-site" }, 403],
    [{ authorization: "Bearer wrong" }, 401],
    [{ authorization: `Bearer ${tokens.read}` }, 200],
  ];
  for (const [headers, status] of rows) assert.equal(await getOver(path, headers), status, JSON.stringify(headers));
  assert.equal(await getOver(path, { authorization: `Bearer ${tokens.read}` }, "/v1/tokens"), 403);
  assert.equal(await getOver(path, {}, "/v1/tokens"), 200);
});

const unsafe: readonly [string, () => string, RegExp][] = [
  [
    "a directory that is a symlink",
    () => {
      mkdirSync(join(directory, "real"), { mode: 0o700 });
      symlinkSync(join(directory, "real"), join(directory, "link"));
      return join(directory, "link", "daemon.sock");
    },
    /link": it is not a directory/,
  ],
  [
    "a directory that others can enter",
    () => {
      mkdirSync(join(directory, "wide"));
      chmodSync(join(directory, "wide"), 0o755);
      return join(directory, "wide", "daemon.sock");
    },
    /wide": its mode is 0755, wanted 0700; run: chmod 700/,
  ],
  [
    "a socket path that is a file",
    () => {
      writeFileSync(join(directory, "daemon.sock"), "");
      return join(directory, "daemon.sock");
    },
    /daemon\.sock": it is a file/,
  ],
  [
    "a socket path that is a symlink",
    () => {
      symlinkSync("/nowhere", join(directory, "daemon.sock"));
      return join(directory, "daemon.sock");
    },
    /daemon\.sock": it is a symlink/,
  ],
];
for (const [name, prepare, message] of unsafe) {
  test(`B1 ${name} is refused with a message that names the path`, async () => {
    const path = prepare();
    const error = await refusal(unix(path));
    assert.equal(error.code, "UNSAFE_PERMISSIONS");
    assert.match(error.message, message);
  });
}

test("a directory of somebody else is refused", async (context) => {
  const path = join(directory, "daemon.sock");
  const user = process.getuid!();
  context.mock.method(process as { getuid: () => number }, "getuid", () => user + 1);
  const error = await refusal(unix(path));
  assert.equal(error.code, "UNSAFE_PERMISSIONS");
  assert.match(error.message, new RegExp(`it belongs to user ${user};`));
});

test("a socket that a dead daemon left is replaced, and one that is answered is not", async () => {
  const path = join(directory, "daemon.sock");
  const other = createServer();
  await new Promise<void>((resolve) => void other.listen(path, resolve));
  const error = await refusal(unix(path));
  assert.equal(error.code, "ADDRESS_IN_USE");
  assert.ok(existsSync(path));
  // A socket file without a listener: bound under another name, then moved over.
  await new Promise<void>((resolve) => void other.close(() => resolve()));
  const stale = join(directory, "stale.sock");
  const dying = await start(unix(stale));
  renameSync(stale, path);
  await dying.close();
  assert.ok(statSync(path).isSocket());
  await using _server = await start(unix(path));
  assert.equal(await getOver(path), 200);
});

test("a socket path that is too long is refused with its length", async () => {
  const error = await refusal(unix(join(directory, "x".repeat(120))));
  assert.equal(error.code, "INVALID_INPUT");
  assert.match(error.message, /has at most 107 bytes, this one has \d+/);
});

test("another address than loopback needs TLS, or a statement that it has none", async () => {
  for (const host of ["0.0.0.0", "::", "192.168.1.5", "example.org", "127.0.0.2", ""]) {
    const error = await refusal({ kind: "tcp", host, port: 0 });
    assert.equal(error.code, "BIND_REFUSED", host);
    assert.match(error.message, /add --tls, or --insecure-http|it is not an address; give one of/);
  }
});

test("a busy port is named, and nothing else keeps listening", async () => {
  await using first = await start({ kind: "tcp", host: "localhost", port: 0 });
  const [listener] = first.listeners;
  assert.ok(listener?.kind === "tcp" && listener.port > 0);
  const path = join(directory, "daemon.sock");
  const error = await refusal(unix(path), { kind: "tcp", host: "127.0.0.1", port: listener.port });
  assert.equal(error.code, "ADDRESS_IN_USE");
  assert.match(
    error.message,
    new RegExp(`127\\.0\\.0\\.1:${listener.port}: it is in use; choose another port with --port`),
  );
  assert.ok(!existsSync(path));
});

test("connections that fill the TCP listener leave the unix socket open", async () => {
  const path = join(directory, "daemon.sock");
  await using memory = await startMemoryServer({ limits: { strangersMax: 4 }, also: [unix(path)] });
  const sockets = Array.from({ length: 12 }, () => connect(memory.port, "127.0.0.1"));
  let closed = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const count = (): void => {
    closed += 1;
    if (closed === 8) resolve();
  };
  for (const socket of sockets) socket.once("close", count).on("error", () => {});
  await promise;
  assert.equal(await getOver(path), 200);
  for (const socket of sockets) socket.destroy();
});

test("a login code lets a browser in once, by a cookie of this port only", async () => {
  const path = join(directory, "daemon.sock");
  await using memory = await startMemoryServer({ also: [unix(path)] });
  const { url, port } = memory;
  const json = { "content-type": "application/json" };
  const asked = await fetch(`${url}/login-codes`, {
    method: "POST",
    body: '{"scope":"read"}',
    headers: { ...json, authorization: `Bearer ${tokens.admin}` },
  });
  const { code, urls } = (await asked.json()) as { code: string; urls: string[] };
  assert.deepEqual(urls, [`${url}/login#${code}`]);
  const page = await fetch(`${url}/login`);
  assert.match(await page.text(), /location\.hash/);
  const redeem = (given: string): Promise<Response> =>
    fetch(`${url}/login`, { method: "POST", body: JSON.stringify({ code: given }), headers: json });
  assert.equal((await redeem("wrong")).status, 401);
  const redeemed = await redeem(code);
  assert.equal(redeemed.status, 200);
  const setCookie = redeemed.headers.get("set-cookie")!;
  assert.match(setCookie, new RegExp(`^lectern-${port}=[^;]+; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict$`));
  assert.equal((await redeem(code)).status, 401);
  const cookie = setCookie.split(";", 1)[0]!;
  const get = async (headers: Record<string, string>): Promise<number> => {
    const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    return (await sendRaw({ host: "127.0.0.1", port }, `GET /v1/sessions HTTP/1.1\r\n${lines.join("")}\r\n`)).status;
  };
  assert.equal(await get({ cookie }), 200);
  assert.equal(await get({ cookie: cookie.replace(String(port), "1") }), 401);
  assert.equal(await get({ cookie: `${cookie}; ${cookie}` }), 401);
  assert.equal(await getOver(path, { cookie }), 200);
  const lines = memory.logLines.join("");
  for (const secret of [code, cookie.split("=")[1]!]) assert.ok(!lines.includes(secret));
});

test("a cookie cannot write or upgrade without saying which page it comes from", async () => {
  await using memory = await startMemoryServer();
  const { port } = memory;
  const cookie = `lectern-${port}=${tokens.write}`;
  const post = (extra: string): string =>
    `POST /v1/sessions/one/input HTTP/1.1\r\nHost: localhost:${port}\r\nCookie: ${cookie}\r\n${extra}Content-Type: application/json\r\nContent-Length: 12\r\n\r\n{"text":"x"}`;
  const where = { host: "127.0.0.1", port };
  assert.equal((await sendRaw(where, post(""))).status, 403);
  assert.equal((await sendRaw(where, post(`Origin: http://localhost:${port}\r\n`))).status, 200);
});

test("only an admin token for all sessions makes login codes", async () => {
  await using memory = await startMemoryServer();
  for (const token of [tokens.write, tokens.one]) {
    const answer = await fetch(`${memory.url}/login-codes`, {
      method: "POST",
      body: "{}",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    });
    assert.equal(answer.status, 403);
  }
});

test("B9 what acts on a terminal or turns text around is escaped in the log, and it stays JSON", () => {
  const lines: string[] = [];
  const logger = createLogger({ write: (line) => lines.push(line) }, "info");
  const title = "a\nb\u001b[31mc\u009b31md\u202ee\u2028f\u0085g\u007fh\ufeffi";
  logger.info({ title, nested: { title } }, title);
  const [line = ""] = lines;
  assert.match(line, /^[\u0020-\u007e]*\n$/);
  const parsed = JSON.parse(line) as { title: string; nested: { title: string }; msg: string };
  assert.deepEqual([parsed.title, parsed.nested.title, parsed.msg], [title, title, title]);
});

test("B4 credentials are blotted out in the log, by the name of the field and by their look", () => {
  const lines: string[] = [];
  const logger = createLogger({ write: (line) => lines.push(line) }, "info");
  const secret = "S3cretS3cretS3cret";
  logger.info({ authorization: secret, headers: { cookie: secret, token: secret } }, "x");
  logger.info({ error: `got Bearer ${secret} and lectern.bearer.${secret} and lectern-7777=${secret}` }, "y");
  assert.ok(!lines.join("").includes(secret), lines.join(""));
  assert.equal(escapeLine("plain"), "plain");
});

test("who comes over the unix socket is waited for, however late the request comes", async () => {
  const path = join(directory, "run", "daemon.sock");
  const limits = { headersMs: 50, bodyMs: 50 };
  await using memory = await startMemoryServer({ limits, also: [unix(path)] });
  const early = await openSocket({ path });
  const other = await openSocket({ host: "127.0.0.1", port: memory.port });
  const statusOf = async ({ received, closed }: typeof early): Promise<string> => {
    await closed;
    return received().split("\r\n")[0] ?? "";
  };
  // It connected later, and its time is over: it is closed without a word, as browsers have such connections in reserve.
  assert.equal(await statusOf(other), "");
  early.socket.on("error", () => {});
  early.socket.write("GET /v1/sessions HTTP/1.1\r\nHost: lectern\r\nConnection: close\r\n\r\n");
  assert.equal(await statusOf(early), "HTTP/1.1 200 OK");
});

test("a head that came while the server stood still is read before it is too late for it", async () => {
  await using memory = await startMemoryServer({ limits: { headersMs: 50 } });
  const { socket, received, closed } = await openSocket({ host: "127.0.0.1", port: memory.port });
  const half = `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${memory.port}\r\n`;
  // Between the reading of one pass and the timers of the next.
  setImmediate(() => {
    socket.write(`${half}Connection: close\r\n\r\n`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  });
  await closed;
  assert.match(received(), /^HTTP\/1\.1 200 /);
  const slow = await openSocket({ host: "127.0.0.1", port: memory.port });
  slow.socket.write(half);
  await slow.closed;
  assert.match(slow.received(), /^HTTP\/1\.1 408 /);
});

test("a body that came while the server stood still is read before it is too late for it", async () => {
  await using memory = await startMemoryServer({ limits: { bodyMs: 50 } });
  const { promise: isAsked, resolve } = Promise.withResolvers<void>();
  const { authenticate } = memory.service;
  const noted = (token: string): ReturnType<typeof authenticate> => {
    resolve();
    return authenticate(token);
  };
  Object.assign(memory.service, { authenticate: noted });
  const { socket, received, closed } = await openSocket({ host: "127.0.0.1", port: memory.port });
  const head = [
    "POST /v1/sessions HTTP/1.1",
    `Host: 127.0.0.1:${memory.port}`,
    `Authorization: Bearer ${tokens.admin}`,
    "Content-Type: application/json",
    "Content-Length: 2",
    "Connection: close",
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  await isAsked;
  // Between the reading of one pass and the timers of the next.
  setImmediate(() => {
    socket.write("{}");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  });
  await closed;
  assert.match(received(), /^HTTP\/1\.1 422 /);
});
