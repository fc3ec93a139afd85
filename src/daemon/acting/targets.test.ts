import assert from "node:assert/strict";
import { test } from "node:test";
import { PtyRun } from "../../../test/pty-run.ts";
import { readStat } from "../../pty/proc-files.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import { readingNow, targetsOf, whyMissed } from "./targets.ts";

const hasProc = readStat(process.pid) !== undefined;
const entry = { leaderPid: process.pid } as SessionEntry;
const nobody = { agent: null, run: 0, pid: null, lastPid: null };

test("a prompt for a program that nobody has seen reading is for nobody in particular", () => {
  assert.deepEqual(targetsOf(entry, { reader: nobody, mayBeShell: false }, { isForShell: true }), []);
  assert.ok(readingNow(entry, { ...nobody, agent: "claude", run: 1 }, []).isMeant);
});

test(
  "a shell that has said that it is at its prompt is a target before it is seen reading",
  { skip: !hasProc },
  async () => {
    const shell = new PtyRun("read -r _");
    const status = { state: "waiting" } as SessionEntry["status"];
    const atPrompt = { leaderPid: shell.pty.pid, status } as SessionEntry;
    assert.deepEqual(
      targetsOf(atPrompt, { reader: nobody, mayBeShell: false }, { isForShell: true }).map(({ group }) => group),
      [shell.pty.pid],
    );
    assert.deepEqual(
      targetsOf(
        { ...atPrompt, status: null } as SessionEntry,
        { reader: nobody, mayBeShell: false },
        { isForShell: true },
      ),
      [],
    );
    shell.write("\n");
    await shell.ended;
  },
);

test("an agent is a target even if its process is not known", () => {
  const claude = { ...nobody, agent: "claude", run: 1 };
  const targets = targetsOf(
    { leaderPid: null } as SessionEntry,
    { reader: claude, mayBeShell: false },
    { isForShell: true },
  );
  assert.deepEqual(targets, [{ agent: "claude", run: 1, program: null, group: null, startTicks: null }]);
  assert.ok(readingNow(entry, claude, targets).isMeant);
  assert.ok(!readingNow(entry, { ...claude, run: 2 }, targets).isMeant);
  assert.ok(!readingNow(entry, { ...nobody, run: 1 }, targets).isMeant);
  assert.match(whyMissed(targets), /^it was meant for claude, which has ended or left the foreground$/);
});

test("a process that was started at another time has ended", { skip: !hasProc }, () => {
  const { startTicks = 0 } = readStat(process.pid) ?? {};
  const target = { agent: null, run: 0, program: "bot", group: process.pid, startTicks: startTicks + 1 };
  assert.equal(whyMissed([target]), "it was meant for bot, which has ended");
  assert.match(whyMissed([{ ...target, startTicks: target.startTicks - 1 }]), /not in the foreground any more/);
});
