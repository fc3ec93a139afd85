import assert from "node:assert/strict";
import { test } from "node:test";
import { PtyRun } from "../../../test/pty-run.ts";
import { readStat } from "../../pty/proc-files.ts";
import type { Reader } from "../../core/acting/draft.ts";
import type { ActTarget } from "../../core/acting/target.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import { isMeant, targetNow, targetsOf, whyMissed } from "./targets.ts";

const hasProc = readStat(process.pid) !== undefined;
const stored = { name: "a" };
const entry = { stored, leaderPid: process.pid } as SessionEntry;
const nobody = { agent: null, run: 0, pid: null, lastPid: null };
const isMeantNow = (reader: Reader, targets: readonly ActTarget[] = []): boolean =>
  isMeant(targetNow(entry, { reader }), reader, targets);

test("a prompt for a program that nobody has seen reading is for nobody in particular", async () => {
  assert.deepEqual(await targetsOf(entry, { reader: nobody }, { isForShell: true }), []);
  assert.ok(isMeantNow({ ...nobody, agent: "claude", run: 1 }));
});

test(
  "a shell that has said that it is at its prompt is a target before it is seen reading",
  { skip: !hasProc },
  async () => {
    const shell = new PtyRun("read -r _");
    const status = { state: "waiting" } as SessionEntry["status"];
    const atPrompt = { stored, leaderPid: shell.pty.pid, status } as SessionEntry;
    assert.deepEqual(
      (await targetsOf(atPrompt, { reader: nobody }, { isForShell: true })).map(({ group }) => group),
      [shell.pty.pid],
    );
    assert.deepEqual(
      await targetsOf({ ...atPrompt, status: null } as SessionEntry, { reader: nobody }, { isForShell: true }),
      [],
    );
    shell.write("\n");
    await shell.ended;
  },
);

test(
  "a shell that an agent has just left the foreground to is a target where it is meant",
  { skip: !hasProc },
  async () => {
    const shell = new PtyRun(["bash", "--norc", "--noprofile"]);
    await shell.until("bash-");
    const behind = { stored, leaderPid: shell.pty.pid } as SessionEntry;
    const reader = { agent: "claude", run: 1, pid: null, lastPid: process.pid };
    const [target] = await targetsOf(behind, { reader }, { isForShell: true });
    assert.deepEqual([target?.kind, target?.agent, target?.group], ["shell", null, shell.pty.pid]);
    await assert.rejects(targetsOf(behind, { reader }, { isForShell: false }), {
      code: "CONFLICT",
    });
    shell.write("exit\n");
    await shell.ended;
  },
);

/** A process named sh without arguments until it gets a line, as the kernel shows one that is becoming another program. */
const STARTING = `import ctypes, mmap, sys, threading
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
def start():
    page = int(open("/proc/self/stat").read().rsplit(")", 1)[1].split()[45]) & -mmap.PAGESIZE
    kept = ctypes.string_at(page, mmap.PAGESIZE)
    open("/proc/self/comm", "w").write("sh")
    libc.munmap(ctypes.c_void_p(page), ctypes.c_size_t(mmap.PAGESIZE))
    print("starting", flush=True)
    sys.stdin.readline()
    libc.mmap(ctypes.c_void_p(page), ctypes.c_size_t(mmap.PAGESIZE), 3, 0x32, -1, ctypes.c_long(0))
    ctypes.memmove(page, kept, mmap.PAGESIZE)
    sys.stdin.readline()
thread = threading.Thread(target=start)
thread.start()
thread.join()`;

test("a program that is being started is looked at again before it counts as a shell", { skip: !hasProc }, async () => {
  const program = new PtyRun(["python3", "-c", STARTING]);
  await program.until("starting");
  const starting = { stored, leaderPid: program.pty.pid, status: { state: "waiting" } } as SessionEntry;
  const targets = targetsOf(starting, { reader: nobody }, { isForShell: false });
  program.write("\n");
  assert.deepEqual(
    (await targets).map(({ kind, program: name }) => ({ kind, name })),
    [{ kind: "unknown", name: "sh" }],
  );
  program.write("\n");
  await program.ended;
});

test("an agent is a target even if its process is not known", async () => {
  const claude = { ...nobody, agent: "claude", run: 1 };
  const targets = await targetsOf(
    { stored, leaderPid: null } as SessionEntry,
    { reader: claude },
    { isForShell: true },
  );
  const known = targets.map(({ kind, run, group }) => ({ kind, run, group }));
  assert.deepEqual(known, [{ kind: "agent claude", run: 1, group: null }]);
  assert.ok(isMeantNow(claude, targets));
  assert.ok(!isMeantNow({ ...claude, run: 2 }, targets));
  assert.ok(!isMeantNow({ ...nobody, run: 1 }, targets));
  assert.match(
    whyMissed(targets),
    /^it was meant for claude, which has ended or left the foreground; send it again when claude is in the foreground$/,
  );
});

test("a process that was started at another time has ended", { skip: !hasProc }, () => {
  const { startTicks = 0 } = readStat(process.pid) ?? {};
  const own = { program: "bot", group: process.pid, pid: process.pid, image: null, members: null };
  const target = { kind: "unknown", agent: null, run: 0, ...own, startTicks: startTicks + 1 } as const;
  assert.equal(whyMissed([target]), "it was meant for bot, which has ended; send it again when bot runs again");
  assert.match(whyMissed([{ ...target, startTicks: target.startTicks - 1 }]), /not in the foreground any more/);
});
