/** Whether the process that called is the one that is looked at, with real processes and sockets. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { builtInAgents } from "../../core/agents/built-in-agents.ts";
import { loadLibc } from "../../pty/libc.ts";
import type { CallerOrigin } from "../service.ts";
import type { Store } from "../store/store.ts";
import { SessionRegistry } from "../sessions/session-registry.ts";
import { Callers } from "./callers.ts";

const skip = loadLibc().libc === undefined && "needs peer credentials";

const callers = new Callers({
  agents: () => builtInAgents,
  audit: { append: async () => undefined },
  onError: assert.ifError,
  processes: {
    ledBy: () => undefined,
    ofKernelSession: () => undefined,
    isHost: () => false,
    namedIn: () => undefined,
  },
  registry: new SessionRegistry({} as Store),
  wire: { givenPolicyOf: () => undefined },
});

async function listening(context: TestContext): Promise<{ readonly server: Server; readonly path: string }> {
  const directory = mkdtempSync(join(tmpdir(), "lectern-callers-"));
  const path = join(directory, "s.sock");
  const server = createServer().listen(path);
  await once(server, "listening");
  context.after(() => {
    server.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return { server, path };
}

const clientProgram = `require("node:net").connect(process.argv[1], () => process.exit())`;

/** A process that connects and ends before the connection is accepted; its pid. */
const callAndEnd = (path: string): number => spawnSync(process.execPath, ["-e", clientProgram, path]).pid;

/** Who is at the other end of the next accepted connection. */
async function acceptedOrigin(server: Server): Promise<CallerOrigin> {
  const [socket] = (await once(server, "connection")) as [Socket];
  try {
    return callers.originOf(socket);
  } finally {
    socket.destroy();
  }
}

test("a caller that runs outside every session is a person", { skip }, async (context) => {
  const { path, server } = await listening(context);
  const client = spawn(process.execPath, [
    "-e",
    `require("node:net").connect(process.argv[1]).on("close", () => process.exit())`,
    path,
  ]);
  const ended = once(client, "exit");
  assert.deepEqual(await acceptedOrigin(server), { type: "outside" });
  await ended;
});

test("a caller that has ended before it is looked at counts as inside", { skip }, async (context) => {
  const { path, server } = await listening(context);
  const pid = callAndEnd(path);
  assert.deepEqual(await acceptedOrigin(server), {
    type: "inside",
    session: null,
    pid,
    program: "unknown",
    evidence: "unreadable",
    agent: null,
  });
});

test("a pid that another process has by now is not believed", { skip }, async (context) => {
  if (!mayChoosePids()) {
    context.skip("needs root: it chooses the next pid");
    return;
  }
  // On a busy machine another process may have the pid by then.
  let other: number | undefined;
  let { path, server } = await listening(context);
  for (let attempt = 1; (other = takePid(callAndEnd(path))) === undefined; attempt++) {
    assert.ok(attempt < PID_ATTEMPTS_MAX, `no pid could be taken in ${PID_ATTEMPTS_MAX} attempts`);
    ({ path, server } = await listening(context));
  }
  try {
    const origin = await acceptedOrigin(server);
    assert.deepEqual([origin.type, origin.type === "inside" && origin.evidence], ["inside", "unreadable"]);
  } finally {
    process.kill(other, "SIGKILL");
  }
});

const PID_ATTEMPTS_MAX = 50;
const lastPid = "/proc/sys/kernel/ns_last_pid";

function mayChoosePids(): boolean {
  try {
    writeFileSync(lastPid, readFileSync(lastPid));
    return true;
  } catch {
    return false;
  }
}

/** Starts a process of this pid; others may take it first. */
function takePid(wanted: number): number | undefined {
  for (let attempt = 0; attempt < 20; attempt++) {
    if (readdirSync("/proc").includes(String(wanted))) return undefined;
    writeFileSync(lastPid, String(wanted - 1));
    const child = spawn("sleep", ["60"], { stdio: "ignore" });
    if (child.pid === wanted) return wanted;
    child.kill("SIGKILL");
  }
  return undefined;
}
