/** The forwarder inside a real bubblewrap: the program is started as without one, and its connections come out. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { forwarder, requireForwarder, type ForwardedPort } from "./forwarder.ts";
import { greetEach } from "./greeting.ts";

const PORT = 7439;
const WAIT_MS_MAX = 60_000;
const walls =
  "--ro-bind / / --dev /dev --proc /proc --unshare-user --unshare-pid --unshare-net --die-with-parent --".split(" ");

interface Ended {
  readonly code: number | string | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program in a network namespace of its own, behind these words. */
function inside(prefix: readonly string[], program: readonly string[], variables = {}): Promise<Ended> {
  const environment = { PATH: process.env["PATH"] ?? "", ...variables };
  return new Promise((resolve) => {
    const options = { env: environment, timeout: WAIT_MS_MAX, maxBuffer: 16 * 1024 * 1024 };
    const child = execFile("bwrap", [...walls, ...prefix, ...program], options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? (error === null ? 0 : null), signal: error?.signal ?? null, stdout, stderr }),
    );
    child.stdin?.end();
  });
}

class Echo implements AsyncDisposable {
  readonly directory = mkdtempSync(join(tmpdir(), "lectern-out-"));
  readonly ports: readonly ForwardedPort[] = [{ port: PORT, socket: join(this.directory, "echo") }];
  readonly #server: Server = greetEach(
    createServer({ allowHalfOpen: true }, (socket) => {
      socket.on("error", () => socket.destroy());
      socket.pipe(socket);
    }),
  );

  listen(): Promise<void> {
    return new Promise((done) => this.#server.listen(join(this.directory, "echo"), done));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Sends a number of bytes, ends its side, and counts what comes back until the other side ends. */
const client = `
const { connect } = require("node:net");
const bytes = Number(process.argv[1]);
let count = 0;
const socket = connect({ port: ${PORT}, host: "127.0.0.1", allowHalfOpen: true });
socket.on("data", (chunk) => (count += chunk.length));
socket.on("end", () => console.log(count === bytes ? "all came back" : count + " came back"));
socket.end(Buffer.alloc(bytes, "x"));
`;

const facts = "grep -E '^Sig(Blk|Ign)' /proc/self/status; ls /proc/self/fd | wc -l; ps -o pgid=,sid= -p $$ | tr -s ' '";

/** As on a processor whose number of `clone` is not known. */
const prefixWithoutClone: typeof forwarder.prefix = (...given) =>
  forwarder.prefix(...given).map((word, at, words) => (words[at - 2]?.endsWith("forward.pl") === true ? "0" : word));
const prefixes = { "The forwarder": forwarder.prefix, "The forwarder without clone": prefixWithoutClone };

for (const [name, prefix] of Object.entries(prefixes)) {
  const prefixOf = (ports: readonly ForwardedPort[]): readonly string[] => prefix(ports, {});

  test(`${name} carries both directions of a connection, and its end`, async () => {
    await using echo = new Echo();
    await echo.listen();
    const { code, stderr, stdout } = await inside(prefixOf(echo.ports), [
      process.execPath,
      "-e",
      client,
      "--",
      "9000000",
    ]);
    assert.deepEqual([code, stdout, stderr], [0, "all came back\n", ""]);
  });

  test(`${name} keeps a connection until somebody listens`, async () => {
    await using echo = new Echo();
    const found = inside(prefixOf(echo.ports), [process.execPath, "-e", client, "--", "100"]);
    await echo.listen();
    assert.equal((await found).stdout, "all came back\n");
  });

  test(`${name} makes a connection again that nobody has taken`, async () => {
    await using echo = new Echo();
    // As a daemon that is killed: the kernel has accepted the connection, and resets it.
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    const dying = createServer((socket) => {
      socket.once("data", () => assert.fail("it got bytes of the program"));
      socket.destroy();
      dying.close(() => reach());
    });
    await new Promise<void>((done) => dying.listen(join(echo.directory, "echo"), done));
    const found = inside(prefixOf(echo.ports), [process.execPath, "-e", client, "--", "100000"]);
    await reached;
    await echo.listen();
    assert.equal((await found).stdout, "all came back\n");
  });

  test(`${name} starts the program as it is started without it`, async () => {
    await using echo = new Echo();
    const program = ["bash", "-c", `${facts}; exit 7`];
    const [alone, forwarded] = await Promise.all([inside([], program), inside(prefixOf(echo.ports), program)]);
    assert.deepEqual(forwarded, alone);
    assert.equal(forwarded.code, 7);
    const children = await inside(prefixOf(echo.ports), ["bash", "-c", "ps -o pid= --ppid $$ | wc -l; echo $$"]);
    // The one child is "ps".
    assert.match(children.stdout.replaceAll(" ", ""), /^[12]\n2\n$/);
  });

  test(`${name} says what is wrong with a program that is not there`, async () => {
    const { code, stderr } = await inside(prefixOf([]), ["no-such-program"]);
    assert.equal(code, 127);
    assert.match(stderr, /no-such-program/);
  });
}

test("Perl gives the program its signals with their default effect", async () => {
  await using echo = new Echo();
  const ignoring = ["/bin/sh", "-c", `trap '' HUP INT QUIT TERM USR1 PIPE TSTP TTIN TTOU; exec "$@"`, "sh"];
  const program = ["grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"];
  const { stdout } = await inside([...ignoring, ...forwarder.prefix(echo.ports, {})], program);
  assert.equal(stdout, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
});

test("Perl loads nothing that the environment names, and the program gets it unchanged", async () => {
  const variables = { PERL5OPT: "-MNoSuchModule", PERL5LIB: "/no/such", LC_ALL: "xx_YY" };
  const program = ["bash", "-c", "echo $PERL5OPT $PERL5LIB $LC_ALL [$PERL_BADLANG]"];
  const environment = { ...variables, ...forwarder.environment(variables) };
  const { stderr, stdout } = await inside(forwarder.prefix([], variables), program, environment);
  assert.equal(stdout, "-MNoSuchModule /no/such xx_YY []\n");
  assert.doesNotMatch(stderr, /perl/);
});

test("without Perl the way out is refused with the name of the package", async () => {
  await assert.rejects(requireForwarder("/no/such/perl"), {
    code: "NOT_AVAILABLE",
    message: /there is no "\/no\/such\/perl"\. .* apt install perl-base /,
  });
  await assert.rejects(requireForwarder("/bin/false"), /"\/bin\/false" fails: Command failed/);
  await requireForwarder();
});
