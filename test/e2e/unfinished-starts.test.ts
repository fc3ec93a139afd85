/**
 * A daemon that is killed in the middle of a start: the next one leaves nothing of it, and nothing of anybody else is touched. Each moment is two
 * daemons, so the suite has those after which something else is left, and `npm run test:long` (`LECTERN_START_MOMENTS=all`) each of them.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { GitRepository } from "../support/git-repository.ts";
import { fullStart, tracesOf } from "../support/start-traces.ts";
import { TemporaryDaemon } from "../support/temporary-daemon.ts";
import { until } from "../support/until.ts";

const hasAll = process.env["LECTERN_START_MOMENTS"] === "all";
const program = join(import.meta.dirname, "../support/halting-daemon.ts");

interface Halt {
  readonly daemon: TemporaryDaemon;
  readonly repository: GitRepository;
  /** Name of the part after which the start halts; none if a program of it halts. */
  readonly after?: string;
  /** In front of the others in the search path. */
  readonly programs?: string;
  /** Instead of the report of the process. */
  readonly isHalted?: () => boolean;
}

/** Starts a session in a process of its own, and kills that process where it halts. `daemon` is closed. */
async function killedAt({ after = "", daemon, isHalted, programs, repository }: Halt): Promise<void> {
  const path = [...(programs === undefined ? [] : [programs]), process.env["PATH"]].join(delimiter);
  const child = spawn(process.execPath, [program, daemon.paths.dataDirectory, repository.path, after], {
    env: { ...process.env, PATH: path },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += String(chunk)));
  await until(() => (isHalted?.() ?? printed.includes("halted")) || child.exitCode !== null);
  assert.equal(child.exitCode, null, printed);
  child.kill("SIGKILL");
  await exited;
}

const partNames = [
  "the beginning",
  "worktree",
  "trace parent",
  "server of Codex",
  "event schemas",
  "gateway",
  "shell marks",
  "files",
  "sandbox",
  "network of the sandbox",
];

/** What every part has made. */
const momentsOfParts = ["network of the sandbox"];

for (const after of hasAll ? partNames : momentsOfParts) {
  test(`the next daemon leaves nothing of a start whose daemon was killed after: ${after}`, async () => {
    using repository = new GitRepository();
    let own: readonly string[] = [];
    await using daemon = await TemporaryDaemon.start(undefined, {
      sessionParts: (parts) => {
        own = parts.map(({ name }) => name);
        return parts;
      },
    });
    assert.deepEqual(["the beginning", ...own], partNames);
    const before = tracesOf(daemon.paths, repository);
    await daemon.close();
    await killedAt({ daemon, repository, after });
    assert.notDeepEqual(tracesOf(daemon.paths, repository), before);
    await daemon.open();
    assert.deepEqual((await daemon.call("sessions.list", {})).sessions, []);
    assert.deepEqual(tracesOf(daemon.paths, repository), before);
    assert.deepEqual([daemon.running.resumed, daemon.running.lost, daemon.errors], [0, 0, []]);
    // The name is free again.
    const { worktree, workingDirectory } = fullStart(repository.path);
    const { state } = await daemon.run(["sleep", "600"], { worktree, workingDirectory });
    assert.equal(state, "running");
  });
}

/** A directory with a `git` that halts at a command, before or after the real one has run. */
class HaltingGit implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), "lectern-halting-"));

  constructor(at: string, when: "before" | "after") {
    const own = join(this.directory, "git");
    const run = `PATH="\${PATH#*:}" git "$@"`;
    writeFileSync(
      own,
      [
        "#!/bin/sh",
        `case " $* " in *"${at}"*)`,
        when === "after" ? run : ":",
        `: > "${this.#mark}"; exec sleep 600;; esac`,
        `PATH="\${PATH#*:}"; exec git "$@"`,
        "",
      ].join("\n"),
    );
    chmodSync(own, 0o755);
  }

  get #mark(): string {
    return join(this.directory, "halted");
  }

  get isHalted(): boolean {
    return existsSync(this.#mark);
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

const commands = [" update-ref ", " worktree add ", " read-tree "];
const moments = commands.flatMap((at) => (["before", "after"] as const).map((when) => ({ at, when })));
/** Half of what git makes. */
const momentsOfGit = moments.filter(({ at, when }) => at === " worktree add " && when === "after");

for (const { at, when } of hasAll ? moments : momentsOfGit) {
  test(`the next daemon leaves nothing of a worktree, nor of the git of a daemon killed ${when}${at}`, async () => {
    using repository = new GitRepository();
    await using daemon = await TemporaryDaemon.start();
    const before = tracesOf(daemon.paths, repository);
    using git = new HaltingGit(at, when);
    await daemon.close();
    await killedAt({ daemon, repository, programs: git.directory, isHalted: () => git.isHalted });
    assert.equal(tracesOf(daemon.paths, repository).processes, 1);
    await daemon.open();
    assert.deepEqual(tracesOf(daemon.paths, repository), before);
    assert.deepEqual(daemon.errors, []);
  });
}

test("a branch and a directory that somebody else has made since are not removed", async () => {
  using repository = new GitRepository();
  await using daemon = await TemporaryDaemon.start();
  const path = join(repository.directory, "shop.worktrees", "full");
  for (const at of [" update-ref ", " worktree add "]) {
    using git = new HaltingGit(at, "before");
    await daemon.close();
    await killedAt({ daemon, repository, programs: git.directory, isHalted: () => git.isHalted });
    if (at === " update-ref ") repository.git("branch", "full");
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, "note.txt"), "of a person\n");
    await daemon.open();
    assert.deepEqual((await daemon.call("sessions.list", {})).sessions, []);
    assert.equal(readFileSync(join(path, "note.txt"), "utf8"), "of a person\n");
    const { branches } = tracesOf(daemon.paths, repository);
    assert.deepEqual(branches, at === " update-ref " ? ["full", "main"] : ["main"]);
    if (at === " update-ref ") repository.git("branch", "-D", "full");
    rmSync(path, { recursive: true });
  }
});

test("a daemon that is killed before the parts of an ended session have ended leaves that to the next one", async () => {
  using repository = new GitRepository();
  await using daemon = await TemporaryDaemon.start();
  const before = tracesOf(daemon.paths, repository);
  await daemon.close();
  await killedAt({ daemon, repository, after: "the program" });
  const { waysOut, directories } = tracesOf(daemon.paths, repository);
  assert.deepEqual([waysOut.length, directories.length], [1, 1]);
  await daemon.open();
  const { sessions } = await daemon.call("sessions.list", {});
  assert.deepEqual(
    sessions.map(({ exit, state, worktree }) => [state, exit?.signal, worktree?.branch]),
    [["exited", "SIGKILL", "full"]],
  );
  // The worktree outlives its session.
  const { branches, waysOut: left, inRepository } = tracesOf(daemon.paths, repository);
  assert.deepEqual([branches, left], [["full", "main"], []]);
  assert.deepEqual(
    inRepository.filter((name) => !before.inRepository.includes(name)),
    ["worktrees"],
  );
});

test("a session whose program was started is kept, although its row says that it starts", async () => {
  await using daemon = await TemporaryDaemon.start();
  const running = await daemon.run(["sh", "-c", "echo begun; exec sleep 600"]);
  const ended = await daemon.run(["sh", "-c", "echo begun; exit 3"]);
  await daemon.untilOutput(running.id, "begun");
  await daemon.exitOf(ended.id);
  await daemon.close();
  const database = new DatabaseSync(daemon.paths.databaseFile);
  database.exec("UPDATE sessions SET state = 'starting', exit = NULL, ended_at = NULL");
  database.close();
  await daemon.open();
  const { sessions } = await daemon.call("sessions.list", {});
  assert.deepEqual(
    sessions.map(({ exit, id, state }) => [id, state, exit?.code]),
    [
      [ended.id, "exited", 3],
      [running.id, "running", undefined],
    ],
  );
});
