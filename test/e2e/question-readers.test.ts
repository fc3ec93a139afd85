/** Programs that print questions and read, late or never: no answer reaches another question, and no prompt is held back by a hint. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { LecternError } from "../../src/core/errors.ts";
import type { OutputOf } from "../../src/protocol/operations.ts";
import { SharedDaemon } from "../support/shared-daemon.ts";
import type { TemporaryDaemon } from "../support/temporary-daemon.ts";
import { someOf } from "../support/variants.ts";

const shared = new SharedDaemon();

type Asked = OutputOf<"approvals.list">["approvals"][number];

const bash = (script: string): [string, ...string[]] => ["bash", "--norc", "-c", script];
const python = (script: string): [string, ...string[]] => ["python3", "-uc", script];
const node = (script: string): [string, ...string[]] => [process.execPath, "-e", script];
const perl = (script: string): [string, ...string[]] => ["perl", "-e", `$|=1; ${script}`];

const stagingFirst = "Continue with staging? [y/N] ";
const wipe = "Wipe production? [y/N] ";
const end = /got=\[y\]/;

/** Read at once, each in its own way. */
const readers: Readonly<Record<string, readonly [string, ...string[]]>> = {
  "bash read": bash(`read -rp '${stagingFirst}' a; echo "got=[$a]"; sleep 60`),
  "bash read -n1": bash(`read -rn1 -p '${stagingFirst}' a; echo; echo "got=[$a]"; sleep 60`),
  "bash read -e": bash(`read -rep '${stagingFirst}' a; echo "got=[$a]"; sleep 60`),
  "sh read": ["sh", "-c", `printf '${stagingFirst}'; read -r a; echo "got=[$a]"; sleep 60`],
  "python input": python(`a=input('${stagingFirst}'); print(f'got=[{a}]'); import time; time.sleep(60)`),
  "python readline": python(
    `import sys,time; print('${stagingFirst}',end='',flush=True); a=sys.stdin.readline().strip(); print(f'got=[{a}]'); time.sleep(60)`,
  ),
  "python select": python(
    `import sys,time,select; print('${stagingFirst}',end='',flush=True); select.select([sys.stdin],[],[]); a=sys.stdin.readline().strip(); print(f'got=[{a}]'); time.sleep(60)`,
  ),
  "python select of 1 s, again and again": python(
    `import sys,time,select; print('${stagingFirst}',end='',flush=True)\nwhile not select.select([sys.stdin],[],[],1)[0]: pass\na=sys.stdin.readline().strip(); print(f'got=[{a}]'); time.sleep(60)`,
  ),
  "python raw key": python(
    `import sys,time,tty,termios; f=termios.tcgetattr(0); tty.setcbreak(0); print('${stagingFirst}',end='',flush=True); a=sys.stdin.read(1); termios.tcsetattr(0,termios.TCSANOW,f); print(f'\\ngot=[{a}]'); time.sleep(60)`,
  ),
  "perl raw key": perl(
    `print "${stagingFirst}"; system("stty -icanon -echo min 1"); sysread(STDIN,my $a,1); system("stty icanon echo"); print "\\ngot=[$a]\\n"; sleep 60`,
  ),
  "perl readline": perl(`print "${stagingFirst}"; my $a=<STDIN>; chomp $a; print "got=[$a]\\n"; sleep 60`),
  "node readline": node(
    `const r=require('readline').createInterface({input:process.stdin,output:process.stdout}); r.question('${stagingFirst}',a=>{console.log('got=['+a+']');setTimeout(()=>{},60000)})`,
  ),
  "node readline of two lines": node(
    `const r=require('readline').createInterface({input:process.stdin,output:process.stdout}); r.question('All of it goes.\\n${stagingFirst}',a=>{console.log('got=['+a+']');setTimeout(()=>{},60000)})`,
  ),
  "node raw key": node(
    `process.stdin.setRawMode(true); process.stdout.write('${stagingFirst}'); process.stdin.once('data',d=>{process.stdin.setRawMode(false); console.log('\\r\\ngot=['+d+']');setTimeout(()=>{},60000)})`,
  ),
  "awk getline": ["awk", `BEGIN{printf "${stagingFirst}"; getline a < "-"; print "got=[" a "]"; system("sleep 60")}`],
};

/** Sleeps, or computes, and reads later. */
const late: Readonly<Record<string, readonly [string, ...string[]]>> = {
  "bash sleep, then read": bash(
    `printf '${stagingFirst}'; sleep 2; read -r a; echo "got=[$a]"; read -rp '${wipe}' b; echo "wiped=[$b]"; sleep 60`,
  ),
  "bash compute, then read": bash(
    `printf '${stagingFirst}'; for i in {1..300000}; do :; done; read -r a; echo "got=[$a]"; read -rp '${wipe}' b; echo "wiped=[$b]"; sleep 60`,
  ),
  "python sleep, then input": python(
    `import time; print('${stagingFirst}',end='',flush=True); time.sleep(2); a=input(); print(f'got=[{a}]'); b=input('${wipe}'); print(f'wiped=[{b}]'); time.sleep(60)`,
  ),
  "perl sleep, then read": perl(
    `print "${stagingFirst}"; sleep 2; my $a=<STDIN>; chomp $a; print "got=[$a]\\n"; print "${wipe}"; my $b=<STDIN>; chomp $b; print "wiped=[$b]\\n"; sleep 60`,
  ),
  "node timer, then read": node(
    `process.stdout.write('${stagingFirst}'); setTimeout(()=>{const r=require('readline').createInterface({input:process.stdin,output:process.stdout}); r.on('line',a=>{console.log('got=['+a+']')}); setTimeout(()=>{},60000)},2000)`,
  ),
};

/** Never read the first question; read the second. */
const never: Readonly<Record<string, readonly [string, ...string[]]>> = {
  "bash prints, sleeps, asks": bash(
    `printf '${stagingFirst}'; sleep 3; echo; read -rp '${wipe}' b; echo "wiped=[$b]"; sleep 60`,
  ),
  "bash read -t over": bash(
    `read -rt 1 -p '${stagingFirst}' a; sleep 3; echo; read -rp '${wipe}' b; echo "wiped=[$b]"; sleep 60`,
  ),
  "python prints, sleeps, asks": python(
    `import time; print('${stagingFirst}',end='',flush=True); time.sleep(3); print(); b=input('${wipe}'); print(f'wiped=[{b}]'); time.sleep(60)`,
  ),
  "python select over": python(
    `import sys,time,select; print('${stagingFirst}',end='',flush=True); select.select([sys.stdin],[],[],0.2); time.sleep(3); print(); b=input('${wipe}'); print(f'wiped=[{b}]'); time.sleep(60)`,
  ),
  "perl prints, sleeps, asks": perl(
    `print "${stagingFirst}"; sleep 3; print "\\n${wipe}"; my $b=<STDIN>; chomp $b; print "wiped=[$b]\\n"; sleep 60`,
  ),
  "a list that nobody reads": bash(
    `printf 'Continue with staging?\\n\\033[?25l❯ 1. Yes\\n  2. No\\n(use arrow keys)'; sleep 3; printf '\\033[?25h\\033[2J\\033[H'; read -rp '${wipe}' b; echo "wiped=[$b]"; sleep 60`,
  ),
  "node prints, waits, asks": node(
    `process.stdout.write('${stagingFirst}'); setTimeout(()=>{const r=require('readline').createInterface({input:process.stdin,output:process.stdout}); console.log(); r.question('${wipe}',b=>{console.log('wiped=['+b+']');setTimeout(()=>{},60000)})},3000)`,
  ),
};

/** Ask the same twice. */
const twice: Readonly<Record<string, readonly [string, ...string[]]>> = {
  "bash twice": bash(`read -rp '${stagingFirst}' a; read -rp '${stagingFirst}' b; echo "both=[$a$b]"; sleep 60`),
  "python twice": python(
    `a=input('${stagingFirst}'); b=input('${stagingFirst}'); print(f'both=[{a}{b}]'); import time; time.sleep(60)`,
  ),
  "perl twice": perl(
    `print "${stagingFirst}"; my $a=<STDIN>; print "${stagingFirst}"; my $b=<STDIN>; chomp $a; chomp $b; print "both=[$a$b]\\n"; sleep 60`,
  ),
  "bash keys twice": bash(
    `read -rn1 -p '${stagingFirst}' a; echo; read -rn1 -p '${stagingFirst}' b; echo; echo "both=[$a$b]"; sleep 60`,
  ),
};

/** Stand at the prompt of a shell, where jobs ask. */
const shells: Readonly<Record<string, readonly [string, ...string[]]>> = {
  "bash with a job that asks": ["bash", "--norc", "--noprofile"],
  "sh with a job that asks": ["sh"],
  "bash with a file that ends like a question": ["bash", "--norc", "--noprofile"],
  "bash with a printed list": ["bash", "--norc", "--noprofile"],
};

const listOf = (daemon: TemporaryDaemon) => daemon.call("approvals.list", {});

/** Waits for a question, open or a hint. */
async function until(daemon: TemporaryDaemon, isWanted: (asked: Asked) => boolean): Promise<Asked> {
  for (;;) {
    const { approvals, hints, version } = await listOf(daemon);
    const found = [...approvals, ...hints].find((asked) => isWanted(asked));
    if (found !== undefined) return found;
    await daemon.call("approvals.list", { version, waitMs: 5000 });
  }
}

const isOpen = ({ state }: Asked): boolean => state === "open";
const answer = (daemon: TemporaryDaemon, { id, digest, session }: Asked, option: string) =>
  daemon.call("approvals.answer", { session, approval: id, digest, option });

/** Answers whatever asks about staging, as soon as it is seen, and never anything else. */
async function answerStaging(daemon: TemporaryDaemon): Promise<void> {
  for (;;) {
    const asked = await until(daemon, () => true);
    // What asks about production is not answered here.
    if (!asked.question.includes("staging")) return;
    try {
      await answer(daemon, asked, asked.options[0]?.id ?? "y");
      return;
    } catch (error) {
      if (!(error instanceof LecternError)) throw error;
      // Only a hint, or gone.
      await daemon.call("approvals.list", { version: (await listOf(daemon)).version, waitMs: 500 });
    }
  }
}

async function outputOf(daemon: TemporaryDaemon, session: string): Promise<string> {
  const { text } = await daemon.call("sessions.screen", { session });
  return text;
}

for (const [name, command] of someOf(readers, "bash read", "bash read -n1", "python raw key", "node readline")) {
  test(`what reads its question gets its answer: ${name}`, async () => {
    const daemon = await shared.empty();
    const { id } = await daemon.run([...command]);
    await answer(daemon, await until(daemon, isOpen), "y");
    await daemon.untilOutput(id, end.source);
  });
}

for (const [name, command] of someOf(late, "bash sleep, then read", "python sleep, then input")) {
  test(`what reads late gets the answer to its own question: ${name}`, async () => {
    const daemon = await shared.empty();
    const { id } = await daemon.run([...command]);
    await answerStaging(daemon);
    await daemon.untilOutput(id, end.source);
    assert.doesNotMatch(await outputOf(daemon, id), /wiped=\[y/);
  });
}

for (const [name, command] of someOf(
  never,
  "bash read -t over",
  "python prints, sleeps, asks",
  "a list that nobody reads",
)) {
  test(`a question that is never read is never answered: ${name}`, async () => {
    const daemon = await shared.empty();
    const { id } = await daemon.run([...command]);
    await answerStaging(daemon);
    const asked = await until(daemon, (one) => isOpen(one) && one.question.includes("production"));
    await answer(daemon, asked, "n");
    await daemon.untilOutput(id, "wiped=\\[n\\]");
  });
}

for (const [name, command] of someOf(twice, "bash twice", "python twice")) {
  test(`the same question twice gets each answer once: ${name}`, async () => {
    const daemon = await shared.empty();
    const { id } = await daemon.run([...command]);
    const first = await until(daemon, isOpen);
    await answer(daemon, first, "y");
    await answer(daemon, await until(daemon, (asked) => isOpen(asked) && asked.id !== first.id), "n");
    await daemon.untilOutput(id, "both=\\[yn\\]");
  });
}

for (const [name, command] of someOf(shells, "bash with a job that asks", "sh with a job that asks")) {
  test(`a hint holds back no prompt: ${name}`, async () => {
    const daemon = await shared.empty();
    const file = join(daemon.paths.dataDirectory, "asks");
    writeFileSync(file, name.includes("list") ? "Go on?\n❯ 1. Yes\n  2. No\n" : "Overwrite all files? [y/N] ");
    const { id: session } = await daemon.run([...command]);
    await daemon.untilOutput(session, "[$#] $");
    const ask = name.includes("job") ? `(cat ${file}; read -r a) &` : `cat ${file}`;
    const { next } = await daemon.call("sessions.input", { session, text: `${ask}\r` });
    await daemon.untilOutput(session, name.includes("list") ? "2. No" : "y/N", next);
    const receipt = await daemon.call("sessions.prompt", {
      shell: true,
      session,
      text: "echo after-$((40+2))",
      waitMs: 90_000,
    });
    assert.equal(receipt.state, "done", receipt.reason ?? "");
    await daemon.untilOutput(session, "after-42", next);
    const { approvals } = await listOf(daemon);
    assert.deepEqual(approvals, []);
  });
}

test("removed sessions take their questions along, also those whose screens have not seen the end", async () => {
  const daemon = await shared.empty();
  const commands = Array.from({ length: 12 }, () => bash(`read -rp '${stagingFirst}' a; sleep 60`));
  const started = await Promise.all(commands.map((command) => daemon.run([...command])));
  for (const { id: session } of started) await until(daemon, (asked) => asked.session === session && isOpen(asked));
  await Promise.all(started.map(({ id: session }) => daemon.call("sessions.remove", { session, force: true })));
  const { approvals, hints } = await listOf(daemon);
  assert.deepEqual([...approvals, ...hints], []);
});
