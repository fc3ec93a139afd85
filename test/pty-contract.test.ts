/** The contract of a pty, held by every backend that works here. What a backend cannot do stands in `ptyCapabilities` only. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { LecternError, type ErrorCode } from "../src/core/errors.ts";
import type { ExitStatus } from "../src/protocol/records.ts";
import type { PtyBackend } from "../src/pty/pty.ts";
import { cleanEnvironment } from "../src/pty/environment.ts";
import { describeBackends, spawnPty, type SpawnPtyOptions } from "../src/pty/spawn.ts";
import { lines, printLines, processState, PtyRun, type Script } from "./pty-run.ts";
import { until } from "./support/until.ts";

const manySessions = 40;

const directory = mkdtempSync(join(tmpdir(), "lectern-pty-"));
after(() => rmSync(directory, { recursive: true, force: true }));

const codeOf = (expected: ErrorCode) => (error: unknown) => error instanceof LecternError && error.code === expected;
const openDescriptors = (): number => readdirSync("/proc/self/fd").length;
const threads = (): number => readdirSync("/proc/self/task").length;
const commandOf = (pid = 0): string => readFileSync(`/proc/${pid}/comm`, "latin1");
const exited = (code: number): ExitStatus => ({ reason: "exited", code, signal: null });
const signaled = (signal: string): ExitStatus => ({ reason: "signaled", code: null, signal });

function runOn(backend: PtyBackend): (script: Script, options?: Partial<SpawnPtyOptions>) => PtyRun {
  return (script, options = {}) => new PtyRun(script, { workingDirectory: directory, backend, ...options });
}

for (const { backend, available, reason } of describeBackends()) {
  // The limits of the other one are in docs/decisions/pty.md.
  const isFfi = backend === "ffi";
  if (!available) {
    test(`the backend "${backend}" says why it is not available`, () => assert.ok(reason));
    continue;
  }

  describe(`pty contract, ${backend}`, () => {
    const run = runOn(backend);
    const output = async (script: string, options: Partial<SpawnPtyOptions> = {}): Promise<string> => {
      const it = run(script, options);
      await it.ended;
      return it.text;
    };

    const start =
      (command: string, options: Partial<SpawnPtyOptions> = {}) =>
      (): PtyRun =>
        run([command], options);

    test("a paused consumer stops the program and loses nothing", async () => {
      const it = run(printLines(40_000));
      await it.until("line 100\r\n");
      it.pty.pause();
      const before = it.bytes.length;
      await until(() => processState(it.pty.pid) === "S");
      assert.equal(it.bytes.length, before);
      it.pty.resume();
      await it.ended;
      assert.equal(it.text, lines(40_000));
    });

    test("a consumer may pause and resume inside its own callback", async () => {
      const collected: Buffer[] = [];
      const done = Promise.withResolvers<ExitStatus>();
      const pty = spawnPty({
        backend,
        command: ["seq", "-f", "line %.0f", "5000"],
        workingDirectory: directory,
        environment: cleanEnvironment(process.env),
        columns: 80,
        rows: 24,
        onOutput: (chunk) => {
          collected.push(Buffer.from(chunk));
          pty.pause();
          setImmediate(() => pty.resume());
        },
        onExit: done.resolve,
      });
      assert.deepEqual(await done.promise, exited(0));
      assert.equal(Buffer.concat(collected).toString("latin1"), lines(5_000));
    });

    test("input to a program that does not read waits, within its limit, and arrives whole", async () => {
      const wanted = Buffer.from(Array.from({ length: 300_000 }, (_, index) => 33 + (index % 90)));
      const it = run("stty raw -echo; printf ready; read -r -n1 -t 9 < <(sleep 0.2; echo); head -c 300000 | cksum", {
        inputQueueBytesMax: wanted.length,
      });
      await it.until("ready");
      it.pty.write(wanted.subarray(0, 200_000));
      for (let index = 200_000; index < wanted.length; index += 1_000)
        it.pty.write(wanted.subarray(index, index + 1_000));
      assert.ok(it.pty.inputQueuedBytes > 250_000);
      assert.throws(() => it.pty.write(wanted), codeOf("LIMIT_EXCEEDED"));
      await it.ended;
      assert.equal(it.pty.inputQueuedBytes, 0);
      const check = spawn("cksum", { stdio: ["pipe", "pipe", "ignore"] });
      check.stdin.end(wanted);
      const [sum] = (await once(check.stdout, "data")) as [Buffer];
      assert.equal(it.text.replace("ready", "").trim(), sum.toString().trim());
    });

    test("every byte passes unchanged in both directions on a raw terminal", async () => {
      const all = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
      const it = run("stty raw -echo; printf ready; head -c 256");
      await it.until("ready");
      it.pty.write(all);
      await it.ended;
      assert.deepEqual(it.bytes.subarray("ready".length), all);
    });

    test("exec mode leaves newlines as they are and does not echo", async () => {
      const it = run("printf 'a\\nb\\n'; read -r word; printf '<%s>' \"$word\"", { mode: "exec" });
      await it.until("b\n");
      it.write("word\n");
      await it.ended;
      assert.equal(it.text, "a\nb\n<word>");
    });

    test("interactive mode echoes and translates newlines, and Ctrl-C reaches the foreground job only", async () => {
      const it = run("trap 'echo trapped; exit 7' INT; printf ready; while :; do sleep 1; done");
      await it.until("ready");
      it.write("hi\n");
      await it.until("hi\r\n");
      it.write("\x03");
      assert.deepEqual(await it.ended, exited(7));
      assert.match(it.text, /^readyhi\r\n\^Ctrapped\r\n$/);
    });

    test("the program sees its size, and a resize with its signal", async () => {
      const it = run("stty size; trap 'stty size; exit' WINCH; printf ready; while :; do sleep 0.01; done", {
        columns: 101,
        rows: 31,
      });
      await it.until("ready");
      it.pty.resize({ columns: 65_535, rows: 1 });
      await it.ended;
      assert.equal(it.text, "31 101\r\nready1 65535\r\n");
      for (const columns of [0, -1, 1.5, Number.NaN, 65_536]) {
        assert.throws(() => it.pty.resize({ columns, rows: 1 }), codeOf("INVALID_INPUT"));
        assert.throws(() => run("true", { columns }), codeOf("INVALID_INPUT"));
      }
    });

    test("a paste is bracketed, and no end marker inside the text closes it early", async () => {
      const it = run("stty raw -echo; printf ready; head -c 18");
      await it.until("ready");
      it.pty.write(Buffer.from("rm\x1b[20\x1b[201~1~ -rf"), { paste: true });
      await it.ended;
      assert.equal(it.text, "ready\x1b[200~rm -rf\x1b[201~");
    });

    test("the program has the given environment and nothing else, its directory, and its terminal on 0, 1 and 2", async () => {
      const text = await output("env; pwd; tty", { environment: { PATH: "/usr/bin:/bin", ONLY: "one é" } });
      const shown = text.split("\r\n");
      assert.ok(shown.includes(Buffer.from("ONLY=one é").toString("latin1")));
      const fromShell = /^(PATH|ONLY|PWD|SHLVL|_|OLDPWD)=/;
      assert.deepEqual(
        shown.filter((line) => line.includes("=") && !fromShell.test(line)),
        [],
      );
      assert.ok(shown.includes(directory));
      assert.match(text, /\/dev\/pts\/\d+\r\n$/);
    });

    test("no program holds another one's terminal", async () => {
      const others = [run("read -r x"), run("read -r x")];
      const text = await output("for fd in /proc/$$/fd/*; do readlink $fd; done");
      const own = text.split("\r\n").filter((line) => /pts|ptmx/.test(line));
      assert.equal(own.length >= 3, true);
      assert.equal(new Set(own).size, 1, text);
      if (isFfi) {
        const count = await output("ls /proc/$$/fd; true");
        const numbers = count.trim().split(/\s+/).map(Number);
        assert.deepEqual(numbers, [0, 1, 2]);
      }
      if (isFfi) {
        const child = spawn("bash", ["-c", "for fd in /proc/$$/fd/*; do readlink $fd; done"]);
        const [listing] = (await once(child.stdout, "data")) as [Buffer];
        assert.doesNotMatch(listing.toString(), /ptmx|pts/);
      }
      await Promise.all(others.map((it) => it.pty.kill({ graceMs: 0 })));
    });

    test("signals are at their defaults and none is blocked", async () => {
      const text = await output("grep -E '^Sig(Ign|Blk)' /proc/self/status");
      if (isFfi) assert.match(text, /SigBlk:\t0+\r\nSigIgn:\t0+\r\n/);
      else assert.match(text, /SigBlk:\t0+\r\n/);
    });

    test("a command that cannot start is an error before anything exists", () => {
      const file = (name: string, content: string, mode: number): string => {
        writeFileSync(join(directory, name), content, { mode });
        return join(directory, name);
      };
      const before = openDescriptors();
      assert.throws(start("no-such-program"), codeOf("COMMAND_NOT_FOUND"));
      assert.throws(start("./no-such-file"), codeOf("COMMAND_NOT_FOUND"));
      assert.throws(start(""), codeOf("COMMAND_NOT_FOUND"));
      assert.throws(start("ls", { environment: { PATH: "/nowhere" } }), codeOf("COMMAND_NOT_FOUND"));
      assert.throws(start(directory), codeOf("COMMAND_NOT_EXECUTABLE"));
      assert.throws(start(file("plain", "x", 0o644)), codeOf("COMMAND_NOT_EXECUTABLE"));
      assert.throws(start(file("orphan", "#!/no/such/interpreter\n", 0o755)), codeOf("COMMAND_NOT_EXECUTABLE"));
      assert.throws(start("ls", { workingDirectory: "/no/such/directory" }), codeOf("WORKING_DIRECTORY_NOT_FOUND"));
      assert.throws(start("a\0b"), codeOf("INVALID_INPUT"));
      if (isFfi) {
        assert.throws(start(file("foreign", "\x01\0\x02\x03", 0o755)), codeOf("COMMAND_NOT_EXECUTABLE"));
        assert.throws(() => run(["true", "x".repeat(3_000_000)]), codeOf("TOO_LARGE"));
      }
      assert.equal(openDescriptors(), before);
    });

    test("a text without an interpreter line runs in the shell, as in every shell", async () => {
      writeFileSync(join(directory, "script"), 'echo "$1"; exit 3\n', { mode: 0o755 });
      const it = run(["./script", "hello"]);
      assert.deepEqual(await it.ended, exited(3));
      assert.equal(it.text, "hello\r\n");
    });

    test("kill ends a polite program at once, a stubborn one after the grace time, and resolves after the exit", async () => {
      const polite = run("sleep 60");
      assert.deepEqual(await polite.pty.kill({ graceMs: 20_000 }), signaled("SIGHUP"));
      const stubborn = run("trap '' HUP TERM; printf ready; while :; do sleep 60; done");
      await stubborn.until("ready");
      assert.deepEqual(await stubborn.pty.kill({ graceMs: 50 }), signaled("SIGKILL"));
      assert.deepEqual(await stubborn.pty.kill(), signaled("SIGKILL"), "again says the same");
      assert.throws(() => stubborn.write("x"), codeOf("SESSION_ENDED"));
      assert.throws(() => stubborn.pty.signal("SIGINT"), codeOf("SESSION_ENDED"));
    });

    test("kill ends a program that has just been forked, before it leads its session", async () => {
      const ends = await Promise.all(Array.from({ length: 60 }, () => run(["cat"]).pty.kill({ graceMs: 0 })));
      assert.deepEqual(new Set(ends.map(({ signal }) => signal)), new Set(["SIGKILL"]));
    });

    test("kill ends a program whose consumer is paused, with its last output", async () => {
      const it = run("trap '' HUP; trap 'printf bye; exit 8' TERM; printf ready; while :; do sleep 0.01; done");
      await it.until("ready");
      it.pty.pause();
      await it.pty.kill({ graceMs: 20_000 });
      assert.match(it.text, /^ready.*bye$/s);
    });

    test("kill ends 500 forked processes that ignore the polite signals and closed the terminal", async () => {
      const script = `
        import os, signal, time
        signal.signal(signal.SIGHUP, signal.SIG_IGN); signal.signal(signal.SIGTERM, signal.SIG_IGN)
        for number in range(500):
            if os.fork() == 0:
                if number % 2: os.setpgid(0, 0)
                os.close(0); os.close(1); os.close(2)
                time.sleep(600)
        print("ready", flush=True)
        time.sleep(600)`.replaceAll(/^ {8}/gm, "");
      const it = run(["python3", "-c", script]);
      await it.until("ready");
      assert.deepEqual(await it.pty.kill({ graceMs: 100 }), signaled("SIGKILL"));
      const left = readdirSync("/proc").filter((name) => {
        try {
          return new RegExp(`\\) [^ZX] \\d+ \\d+ ${it.pty.pid} `).test(readFileSync(`/proc/${name}/stat`, "latin1"));
        } catch {
          return false;
        }
      });
      assert.deepEqual(left, []);
    });

    test("a signal goes to the foreground job", async () => {
      const it = run(["bash", "--norc", "-i"], { environment: { PATH: process.env["PATH"] ?? "", PS1: "> " } });
      await it.until("> ");
      it.write("sleep 60; echo code=$?\n");
      await until(() => commandOf(it.pty.foregroundGroup()) === "sleep\n");
      it.pty.signal("SIGINT");
      it.write("exit 4\n");
      assert.deepEqual(await it.ended, exited(4));
      assert.throws(() => it.pty.signal("SIGNONE" as NodeJS.Signals), codeOf("INVALID_INPUT"));
    });

    test("modes and queue lengths are the kernel's, where the backend can tell", async () => {
      const it = run("stty raw -echo; printf ready; head -c 1; head -c 4");
      await it.until("ready");
      if (isFfi) {
        const modes = { canonical: false, editsLine: false, echo: false, signals: false, outputProcessing: false };
        assert.deepEqual(it.pty.modes(), modes);
        it.pty.signal("SIGSTOP");
        await until(() => processState(it.pty.pid) === "T");
        it.pty.pause();
        it.write("12345");
        await until(() => it.pty.queues()?.input === 4 || it.pty.queues()?.input === 5);
        it.pty.signal("SIGCONT");
        it.pty.resume();
      } else {
        assert.equal(it.pty.modes(), undefined);
        assert.equal(it.pty.queues(), undefined);
        it.write("12345");
      }
      await it.ended;
      assert.equal(it.pty.modes(), undefined);
      assert.equal(it.pty.queues(), undefined);
      assert.equal(it.pty.foregroundGroup(), undefined);
    });

    test("after many sessions no descriptor is left, and threads stay as few as the backend allows", async () => {
      await output("true");
      const descriptorsBefore = openDescriptors();
      const threadsBefore = threads();
      const sessions = Array.from({ length: manySessions }, () => run(["cat"]));
      if (isFfi) assert.equal(threads(), threadsBefore);
      await Promise.all(sessions.map((it) => it.pty.kill({ graceMs: 0 })));
      await until(() => openDescriptors() <= descriptorsBefore);
    });
  });
}

test("the best backend is taken unless one is named", async () => {
  await using best = new PtyRun("read -r x").pty;
  assert.equal(best.backend, describeBackends().find(({ available }) => available)?.backend);
});
