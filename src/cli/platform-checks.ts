/** The checks of `lectern doctor` about the system: its record, and self-tests of what other systems than Linux may do differently. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LecternError } from "../core/errors.ts";
import { waits } from "../core/waits.ts";
import { readPeer, descriptorOf } from "../host/event-peer.ts";
import { loadLibc } from "../pty/libc.ts";
import { platform, PLATFORM_VARIABLE } from "../pty/platform.ts";
import { readStat } from "../pty/proc-files.ts";
import { processTable } from "../pty/process-table.ts";
import { spawnPty } from "../pty/spawn.ts";
import type { Check } from "./check.ts";

/** Throws what is wrong. The next step is what to do about it. */
interface SelfTest {
  readonly name: string;
  readonly next: string;
  readonly run: () => Promise<void> | void;
}

const PEER_TEST = "peer of a connection";

const allTests: readonly SelfTest[] = [
  {
    name: `socket path of ${platform.socketPathBytesMax} bytes`,
    next: "Set LECTERN_HOME to a directory with a short path",
    run: async () => await withConnection(() => undefined),
  },
  {
    name: PEER_TEST,
    next: "Do not rely on approvals: a program in a session counts as you",
    run: async () =>
      await withConnection((accepted) => {
        const peer = readPeer(descriptorOf(accepted));
        expectSame("the process at the other end", peer?.pid, process.pid);
        expectSame("its user", peer?.uid, process.getuid?.());
      }),
  },
  {
    name: platform.hasProc ? "processes by /proc" : "processes by ps",
    next: '"lectern kill" reaches only the program itself: end its jobs by hand',
    run: () => {
      const own = platform.hasProc ? readStat(process.pid) : processTable().find(({ pid }) => pid === process.pid);
      expectSame("the parent of this process", own?.parent, process.ppid);
    },
  },
  {
    name: "terminal",
    next: "Install Lectern again with its optional packages, which hold the fallback pty",
    run: runInTerminal,
  },
];

/** Those of what is used here: without the C library no peer is asked for. */
const selfTests = (): readonly SelfTest[] =>
  allTests.filter(({ name }) => name !== PEER_TEST || loadLibc().libc !== undefined);

/** The record of the platform, and the self-tests: one line for all that pass, one for each that fails. */
export async function checkPlatform(tests: readonly SelfTest[] = selfTests()): Promise<readonly Check[]> {
  const failures: Check[] = [];
  for (const { name, next, run } of tests) {
    try {
      await run();
    } catch (error) {
      failures.push({ name: "self-test", status: "warn", message: `${name}: ${(error as Error).message}`, next });
    }
  }
  const passed = tests.map(({ name }) => name).filter((name) => !failures.some((one) => one.message.startsWith(name)));
  const summary: Check = { name: "self-tests", status: "ok", message: `passed: ${passed.join(", ")}` };
  return [describePlatform(), ...(passed.length === 0 ? [] : [summary]), ...failures];
}

function describePlatform(): Check {
  const { name, unknown, withoutFfi } = platform;
  if (unknown !== undefined) {
    const next = `Remove it from the environment, or set ${PLATFORM_VARIABLE}=portable`;
    return {
      name: "platform",
      status: "fail",
      message: `${PLATFORM_VARIABLE} is "${unknown}", which is not known`,
      next,
    };
  }
  if (withoutFfi === undefined) return { name: "platform", status: "ok", message: name };
  return { name: "platform", status: "ok", message: `${name}: ${withoutFfi}; docs/platforms.md lists what is weaker` };
}

function expectSame(what: string, found: number | undefined, expected: number | undefined): void {
  if (found === expected) return;
  throw new LecternError(
    "NOT_AVAILABLE",
    `${what} is ${expected ?? "unknown"}, the system reports ${found ?? "nothing"}`,
  );
}

/** Connects this process to itself by a socket with the longest path. */
async function withConnection(use: (accepted: Socket) => void): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "lectern-doctor-"));
  const path = join(directory, "s".repeat(Math.max(1, platform.socketPathBytesMax - Buffer.byteLength(directory) - 1)));
  const server = createServer();
  const signal = AbortSignal.timeout(waits.answerMs);
  try {
    server.listen(path);
    await once(server, "listening", { signal });
    const client = connect(path);
    client.on("error", () => undefined);
    const [accepted] = (await once(server, "connection", { signal })) as [Socket];
    try {
      use(accepted);
    } finally {
      accepted.destroy();
      client.destroy();
    }
  } finally {
    server.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A program prints in a terminal and ends. */
async function runInTerminal(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let text = "";
  const pty = spawnPty({
    command: ["/bin/sh", "-c", "echo ready"],
    workingDirectory: "/",
    environment: {},
    columns: 80,
    rows: 24,
    onOutput: (chunk) => (text += Buffer.from(chunk).toString("latin1")),
    onExit: () => resolve(),
  });
  const timer = setTimeout(() => void pty.kill({ graceMs: 0 }), waits.answerMs);
  await promise;
  clearTimeout(timer);
  if (text !== "ready\r\n")
    throw new LecternError("NOT_AVAILABLE", `a program that prints "ready" gave ${JSON.stringify(text)}`);
}
