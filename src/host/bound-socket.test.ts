import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { BoundSocket } from "./bound-socket.ts";
import { prepareSocketPath } from "./socket-path.ts";

const WAIT_MS_MAX = 30_000;

/** A bound socket that answers every line with itself. */
class Echo implements AsyncDisposable {
  readonly #root = mkdtempSync(join(tmpdir(), "lct-"));
  readonly path = join(this.#root, "run", "echo.sock");
  readonly problems: string[] = [];
  /** How often it was tried to bind the socket. */
  attempts = 0;
  readonly #peers = new Set<Socket>();
  #bound: BoundSocket | undefined;

  async start(): Promise<this> {
    this.#bound = await BoundSocket.bind({
      path: this.path,
      makeServer: () => createServer((socket) => this.#peers.add(socket.pipe(socket))),
      prepare: async (path) => {
        this.attempts += 1;
        await prepareSocketPath(path);
      },
      onProblem: (error) => this.problems.push((error as Error).message),
    });
    return this;
  }

  close(): void {
    this.#bound?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.close();
    for (const peer of this.#peers) peer.destroy();
    rmSync(this.#root, { recursive: true, force: true });
    return Promise.resolve();
  }
}

async function connected(path: string): Promise<Socket> {
  const socket = connect(path);
  await once(socket, "connect");
  return socket;
}

async function says(socket: Socket, word: string): Promise<string> {
  socket.write(word);
  return String((await once(socket, "data"))[0]);
}

async function answers(path: string): Promise<boolean> {
  try {
    const socket = await connected(path);
    const answer = await says(socket, "x");
    socket.destroy();
    return answer === "x";
  } catch {
    return false;
  }
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + WAIT_MS_MAX; !(await condition()); await sleep(20))
    assert.ok(Date.now() < deadline, "it did not happen in time");
}

const wipes: Readonly<Record<string, (path: string) => void>> = {
  "the socket is removed": (path) => rmSync(path),
  "its directory is removed": (path) => rmSync(dirname(path), { recursive: true }),
  "its directory is emptied and made again by somebody": (path) => {
    rmSync(dirname(path), { recursive: true });
    mkdirSync(dirname(path), { mode: 0o700 });
  },
};

for (const [name, wipe] of Object.entries(wipes)) {
  test(`a socket is bound again when ${name}, and its connections live on`, async () => {
    await using echo = await new Echo().start();
    const before = await connected(echo.path);
    for (let round = 0; round < 3; round++) {
      wipe(echo.path);
      await until(() => answers(echo.path));
      assert.equal(await says(before, "still here"), "still here");
    }
    assert.equal(lstatSync(echo.path).mode & 0o777, 0o600);
    assert.equal(lstatSync(dirname(echo.path)).mode & 0o777, 0o700);
    assert.deepEqual(readdirSync(dirname(echo.path)), ["echo.sock"]);
    assert.deepEqual(echo.problems, []);
    before.destroy();
  });
}

test("what took the path is never removed, and the socket comes back when it is gone", async () => {
  await using echo = await new Echo().start();
  rmSync(echo.path);
  writeFileSync(echo.path, "mine");
  await until(() => echo.problems.length > 0);
  assert.match(
    echo.problems.join("\n"),
    /^Cannot use ".*echo.sock": it is a file, wanted a socket or nothing; remove it$/,
  );
  assert.equal(lstatSync(echo.path).isFile(), true);
  rmSync(echo.path);
  await until(() => answers(echo.path));
});

test("a socket at which another process listens is left alone, also at the end", async () => {
  await using echo = await new Echo().start();
  const other = createServer((socket) => socket.on("error", () => undefined).end("other"));
  other.listen(`${echo.path}.other`);
  await once(other, "listening");
  renameSync(`${echo.path}.other`, echo.path);
  await until(() => echo.problems.length > 0);
  assert.match(echo.problems.join("\n"), /another process listens there$/);
  const guest = await connected(echo.path);
  assert.equal(String((await once(guest, "data"))[0]), "other");
  echo.close();
  assert.equal(lstatSync(echo.path).isSocket(), true);
  other.close();
});

test("a socket at which nobody listens any more is replaced", async () => {
  await using echo = await new Echo().start();
  const other = createServer();
  other.listen(`${echo.path}.other`);
  await once(other, "listening");
  renameSync(`${echo.path}.other`, echo.path);
  other.close();
  await until(() => answers(echo.path));
});

test("a directory that others can enter is not used, and the reason is reported once", async () => {
  await using echo = await new Echo().start();
  rmSync(echo.path);
  chmodSync(dirname(echo.path), 0o755);
  await until(() => echo.problems.length > 0);
  // The next attempt is over when the one after it begins.
  const { attempts } = echo;
  await until(() => echo.attempts >= attempts + 2);
  assert.equal(echo.problems.length, 1);
  assert.match(echo.problems[0] ?? "", /0755.*chmod 700/);
  chmodSync(dirname(echo.path), 0o700);
  await until(() => answers(echo.path));
});
