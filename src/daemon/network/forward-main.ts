/**
 * What `shell/forward.pl` does, for a system without Perl; it takes about 100 ms longer to start. It uses almost nothing of Lectern, so
 * that Node has little to load.
 *
 *   node forward-main.ts start PORT=SOCKET... -- PROGRAM [ARGUMENT...]
 */
import { spawn, spawnSync } from "node:child_process";
import { closeSync, openSync, writeSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isGreeted } from "./greeting.ts";

/** As in `shell/forward.pl`. */
const CONNECTIONS_MAX = 256;
const CONNECT_MS_MAX = 20_000;
const RETRY_MS = 100;
const START_MS_MAX = 60_000;
const FAILED = 125;
const self = fileURLToPath(import.meta.url);

const [role = "", ...words] = process.argv.slice(2);
const end = words.indexOf("--");
const ports = words.slice(0, end);
if (role === "start") start(ports, words.slice(end + 1));
else if (role === "leave") leave(ports);
else await forward(ports);

/** The forwarder is ready, and no child of this process, before the program replaces it. */
function start(forwarded: readonly string[], program: readonly string[]): void {
  const { status, stderr } = spawnSync(process.execPath, [...process.execArgv, self, "leave", ...forwarded, "--"], {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: START_MS_MAX,
  });
  if (status !== 0) fail(stderr.toString().trim() || "the forwarder did not start");
  // Node ignores two signals, and the program would inherit that; not every "env" can change it.
  const asBefore = ["env", "--default-signal=PIPE,XFSZ"];
  const canReset = spawnSync("/usr/bin/env", [...asBefore.slice(1), "true"], { stdio: "ignore" }).status === 0;
  if (canReset) process.execve?.("/usr/bin/env", [...asBefore, ...program], process.env);
  process.execve?.("/bin/sh", ["sh", "-c", 'exec "$@"', "sh", ...program], process.env);
  fail("this version of Node cannot replace its process");
}

/** Ends once the forwarder listens, which the first process of the sandbox then adopts. */
function leave(forwarded: readonly string[]): void {
  const child = spawn(process.execPath, [...process.execArgv, self, "forward", ...forwarded, "--"], {
    detached: true,
    cwd: "/",
    stdio: ["ignore", "pipe", "inherit"],
  });
  child.once("error", ({ message }) => fail(message));
  child.once("exit", () => process.exit(FAILED));
  child.stdout.once("data", () => process.exit(0));
}

async function forward(forwarded: readonly string[]): Promise<void> {
  for (const signal of ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGTSTP"] as const) process.on(signal, () => {});
  for (const item of forwarded) {
    const separator = item.indexOf("=");
    await listen(Number(item.slice(0, separator)), item.slice(separator + 1));
  }
  writeSync(1, "ready\n");
  // Whoever reads these waits until they are closed; no socket may get their numbers.
  for (const descriptor of [1, 2]) {
    closeSync(descriptor);
    openSync("/dev/null", "w");
  }
}

function listen(port: number, path: string): Promise<void> {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true }, (inner) => {
    inner.on("error", () => inner.destroy());
    void carry(inner, path);
  });
  server.maxConnections = CONNECTIONS_MAX;
  return new Promise((resolve) => {
    server.once("error", ({ message }) => fail(`cannot listen on port ${port}: ${message}`));
    server.listen(port, "127.0.0.1", resolve);
  });
}

async function carry(inner: Socket, path: string): Promise<void> {
  const outer = await reach(path);
  if (outer === undefined || inner.destroyed) {
    inner.destroy();
    outer?.destroy();
    return;
  }
  outer.on("error", () => outer.destroy());
  outer.once("close", () => inner.destroySoon());
  inner.once("close", () => outer.destroySoon());
  inner.pipe(outer);
  outer.pipe(inner);
}

/** Undefined if no daemon has come in time. It has, as soon as it greets: see `shell/forward.pl`. */
async function reach(path: string): Promise<Socket | undefined> {
  let deadline = Date.now() + CONNECT_MS_MAX;
  do {
    const socket = await attempt(path);
    if (socket !== undefined && (await isGreeted(socket))) return socket;
    if (socket !== undefined) deadline = Date.now() + CONNECT_MS_MAX;
    await delay(RETRY_MS);
  } while (Date.now() < deadline);
  return undefined;
}

function attempt(path: string): Promise<Socket | undefined> {
  const socket = connect({ path, allowHalfOpen: true });
  return new Promise((resolve) => {
    socket.once("error", () => resolve(undefined));
    socket.once("connect", () => resolve(socket));
  });
}

function fail(reason: string): never {
  process.stderr.write(`lectern: way out of the sandbox: ${reason}\n`);
  process.exit(FAILED);
}
