/** A prompt is typed for the program that it was accepted for, and for nobody else. */
import assert from "node:assert/strict";
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SharedDaemon } from "../support/shared-daemon.ts";
import type { TemporaryDaemon } from "../support/temporary-daemon.ts";
import { until } from "../support/until.ts";

const shared = new SharedDaemon();
const bash = ["bash", "--norc", "--noprofile"];

/** A program by the name of an agent, which ends without an answer when `end` is called, in front of a shell that reads. */
async function startAgent(daemon: TemporaryDaemon): Promise<{ id: string; mark: string; end: () => void }> {
  const directory = mkdtempSync(join(daemon.paths.dataDirectory, "agent-"));
  const place = (name: string): string => join(directory, name);
  const agent = place("claude");
  writeFileSync(agent, `#!/bin/sh\necho begun-$((40+2))\nuntil [ -e '${place("go")}' ]; do sleep 0.1; done\nexit 1\n`);
  chmodSync(agent, 0o700);
  const { id } = await daemon.run(bash);
  await daemon.call("sessions.wait", { session: id, for: { type: "status", states: ["waiting"] }, timeoutMs: 90_000 });
  await daemon.call("sessions.input", { session: id, text: agent, enter: true });
  await daemon.untilOutput(id, "begun-42", 0);
  return { id, mark: place("ran"), end: () => writeFileSync(place("go"), "") };
}

const meantFor = /it was meant for claude, which has ended/;

test("a prompt that waits for an agent is not run by the shell behind it", async () => {
  const daemon = await shared.empty();
  const { id, mark, end } = await startAgent(daemon);
  const prompt = { session: id, text: `summarize $(touch '${mark}') it`, key: "one" };
  const { targets } = await daemon.call("sessions.prompt", prompt);
  assert.deepEqual(
    targets?.map(({ kind, program, run }) => ({ kind, program, run })),
    [{ kind: "agent claude", program: "claude", run: 1 }],
  );
  const inputs = (await daemon.recordsOf(id)).filter(({ type }) => type === "input").length;
  end();
  const receipt = await daemon.call("sessions.receipt", { session: id, key: "one", waitMs: 90_000 });
  assert.equal(receipt.state, "failed");
  assert.match(receipt.reason ?? "", meantFor);
  assert.equal(existsSync(mark), false);
  assert.equal((await daemon.recordsOf(id)).filter(({ type }) => type === "input").length, inputs);
});

test("a daemon that goes on with a prompt still knows for whom it was accepted", async () => {
  const daemon = await shared.empty();
  const { id, mark, end } = await startAgent(daemon);
  await daemon.call("sessions.prompt", { session: id, text: `summarize $(touch '${mark}') it`, key: "one" });
  await daemon.restart();
  end();
  const receipt = await daemon.call("sessions.receipt", { session: id, key: "one", waitMs: 90_000 });
  assert.match(receipt.reason ?? receipt.state, meantFor);
  assert.equal(existsSync(mark), false);
});

test("a scheduled prompt is not run by the shell either", async () => {
  const daemon = await shared.empty();
  const { id, mark, end } = await startAgent(daemon);
  const dueUs = (Date.now() + 3000) * 1000;
  await daemon.call("sessions.prompt", { session: id, text: `later $(touch '${mark}') it`, key: "one", dueUs });
  await daemon.restart();
  end();
  await daemon.call("sessions.wait", { session: id, for: { type: "status", states: ["waiting"] }, timeoutMs: 90_000 });
  const receipt = await daemon.call("sessions.receipt", { session: id, key: "one", waitMs: 90_000 });
  assert.match(receipt.reason ?? receipt.state, meantFor);
  assert.equal(existsSync(mark), false);
});

test("a prompt is for the conversation that its agent was in, and a later one for the next", async () => {
  const daemon = await shared.empty();
  const home = mkdtempSync(join(daemon.paths.dataDirectory, "home-"));
  mkdirSync(join(home, "sessions"));
  const [first, second] = ["1", "2"].map((digit) => "11111111-1111-4111-8111-111111111111".replaceAll("1", digit));
  const box = `${"─".repeat(40)}\n❯ \n${"─".repeat(40)}\n  ? for shortcuts`;
  // It names its conversation in a file for its process, as Claude Code does.
  const script = `#!/bin/bash
enter() { echo '{"sessionId":"'$1'"}' > '${home}'/sessions/$$.json; }
enter ${first}
printf '%s' '${box}'
while read -r line; do [ "$line" = next ] && enter ${second}; done
`;
  const agent = join(home, "claude");
  writeFileSync(agent, script, { mode: 0o700 });
  const { id: session } = await daemon.run(["env", `CLAUDE_CONFIG_DIR=${home}`, agent]);
  const waiting = { type: "status" as const, states: ["waiting" as const] };
  await daemon.call("sessions.wait", { session, for: waiting, timeoutMs: 90_000 });
  const dueUs = (Date.now() + 3000) * 1000;
  const { conversation } = await daemon.call("sessions.prompt", { session, text: "go on", key: "one", dueUs });
  assert.equal(conversation, first);
  await daemon.call("sessions.input", { session, text: "next", enter: true });
  const { state, reason } = await daemon.call("sessions.receipt", { session, key: "one", waitMs: 90_000 });
  assert.equal(state, "failed");
  const left = `it was meant for the conversation ${first} of claude, which is in another one now (${second})`;
  assert.match(reason ?? "", new RegExp(RegExp.escape(left)));
  const next = await daemon.call("sessions.prompt", { session, text: "go on", key: "two", waitMs: 90_000 });
  assert.equal(next.conversation, second);
  assert.doesNotMatch(next.reason ?? "", /another one now/);
});

test("a shell gets no prompt where it reads the rest of a command, or its command reads", async () => {
  const daemon = await shared.empty();
  for (const shell of [bash, ["zsh", "-d"]]) {
    const { id } = await daemon.run(shell);
    const prompt = async (text: string, key: string): Promise<{ state: string; reason: string | null }> => {
      await daemon.call("sessions.prompt", { shell: true, session: id, text, key });
      return await daemon.call("sessions.receipt", { session: id, key, waitMs: 90_000 });
    };
    const untilWaiting = async (says = /^/): Promise<void> =>
      await until(async () => {
        const { status } = await daemon.call("sessions.status", { session: id });
        return status?.state === "waiting" && status.evidence.some(({ text }) => says.test(text));
      });
    const enter = async (text: string): Promise<void> => {
      await untilWaiting();
      await daemon.call("sessions.input", { session: id, text, enter: true });
    };
    const inside = /the shell does not read a new command here/;
    await enter("cat <<'EOF'");
    await untilWaiting(/the shell wants the rest of a command/);
    assert.match((await prompt("rm -rf build", "one")).reason ?? "", inside);
    await enter("EOF");
    // Evidence stays as it was when the state began, and the two ends of a prompt may be read apart.
    await untilWaiting(/the shell (?:reads a command|shows its prompt)/);
    assert.equal((await prompt("true", "two")).state, "done");
    await enter(`echo be''gun; read x`);
    await daemon.untilOutput(id, "begun", 0);
    await untilWaiting();
    assert.match((await prompt("rm -rf build", "three")).reason ?? "", inside);
  }
});

test("a shell without marks gets no prompt either where it reads the rest of a command", async () => {
  const daemon = await shared.empty();
  for (const shell of ["dash", "bash --norc --noprofile", "zsh -f"]) {
    const { id } = await daemon.run(["env", "PS1=lab$ ", ...shell.split(" ")]);
    await daemon.untilOutput(id, "lab", 0);
    await until(async () => (await daemon.call("sessions.status", { session: id })).status?.state === "waiting");
    // What is typed before a screen with the first prompt was read hides that prompt.
    await daemon.call("sessions.wait", { session: id, for: { type: "quiet", quietMs: 500 }, timeoutMs: 90_000 });
    await daemon.call("sessions.input", { session: id, text: "echo 'a", enter: true });
    await daemon.untilOutput(id, "> ", 0);
    await daemon.call("sessions.prompt", { shell: true, session: id, text: "rm -rf build", key: "one" });
    const { reason } = await daemon.call("sessions.receipt", { session: id, key: "one", waitMs: 90_000 });
    assert.match(reason ?? "", /the shell does not read a new command here/, shell);
  }
});

test("a shell under the name of an agent is a shell", async () => {
  const daemon = await shared.empty();
  const claude = join(daemon.paths.dataDirectory, "claude");
  copyFileSync("/bin/bash", claude);
  const { id } = await daemon.run([claude, "--norc", "--noprofile"]);
  await until(async () => (await daemon.call("sessions.status", { session: id })).status?.state === "waiting");
  await assert.rejects(daemon.call("sessions.prompt", { session: id, text: "rm -rf build" }), { code: "CONFLICT" });
});

test("a prompt that is accepted while a command runs is for the shell, and not for a program that the command starts later", async () => {
  const daemon = await shared.empty();
  const go = join(daemon.paths.dataDirectory, "go");
  const { id } = await daemon.run(bash);
  const wait = { session: id, waitMs: 90_000 };
  const command = `until [ -e '${go}' ]; do sleep 0.1; done`;
  await daemon.call("sessions.prompt", {
    shell: true,
    session: id,
    text: `bash -c "echo begun-\\$((40+2)); ${command}"`,
    key: "first",
  });
  await daemon.untilOutput(id, "begun-42", 0);
  await daemon.call("sessions.prompt", { shell: true, session: id, text: "echo shell-$((40+2))", key: "second" });
  await daemon.call("sessions.prompt", { shell: true, session: id, text: "python3 -q", key: "third" });
  await daemon.call("sessions.prompt", { shell: true, session: id, text: "print('python')", key: "fourth" });
  writeFileSync(go, "");
  for (const key of ["first", "second", "third"]) {
    const { state, reason } = await daemon.call("sessions.receipt", { ...wait, key });
    assert.equal(state, "done", `${key}: ${reason}`);
  }
  const last = await daemon.call("sessions.receipt", { ...wait, key: "fourth" });
  assert.equal(last.state, "failed");
  assert.match(last.reason ?? "", /it was meant for bash, which is not in the foreground any more/);
  await daemon.untilOutput(id, "shell-42", 0);
});

test("a shell that would run a prompt gets none, also one that comes while the prompt waits", async () => {
  const daemon = await shared.empty();
  const { id } = await daemon.run(bash);
  await daemon.call("sessions.wait", { session: id, for: { type: "status", states: ["waiting"] }, timeoutMs: 90_000 });
  await assert.rejects(daemon.call("sessions.prompt", { session: id, text: "echo" }), {
    code: "CONFLICT",
    message: /bash is in the foreground, and would run the text as a command; run it with "lectern exec .*--shell/,
  });
  // Accepted before anybody reads, and a shell reads in the end.
  const go = join(daemon.paths.dataDirectory, "late-go");
  const command = ["sh", "-c", `until [ -e '${go}' ]; do sleep 0.1; done; exec bash --norc --noprofile -i`];
  const late = await daemon.run(command, { name: "late" });
  await daemon.call("sessions.prompt", { session: late.id, text: "echo", key: "late" });
  writeFileSync(go, "");
  const receipt = await daemon.call("sessions.receipt", { session: late.id, key: "late", waitMs: 90_000 });
  assert.equal(receipt.state, "failed");
  assert.match(receipt.reason ?? "", /nothing was typed: bash is in the foreground/);
  // Whoever starts a shell with a prompt means the shell.
  const first = await daemon.run(bash, { prompt: "echo $((40+2))" });
  const done = await daemon.call("sessions.receipt", { session: first.id, key: "first", waitMs: 90_000 });
  assert.equal(done.state, "done", done.reason ?? "");
});

test("a shell that the kernel does not show, or that has another name, gets no prompt either", async () => {
  const daemon = await shared.empty();
  const renamed = join(mkdtempSync(join(daemon.paths.dataDirectory, "shell-")), "commander");
  copyFileSync("/bin/bash", renamed);
  chmodSync(renamed, 0o700);
  const relay = ["python3", "-c", "import pty; pty.spawn(['bash', '--norc', '--noprofile'])"];
  for (const command of [relay, ["script", "-q", "-c", "bash --norc --noprofile", "/dev/null"], [renamed, "--norc"]]) {
    const { id: session } = await daemon.run(command);
    await daemon.untilOutput(session, "[$#] ", 0);
    await daemon.call("sessions.wait", { session, for: { type: "status", states: ["waiting"] }, timeoutMs: 90_000 });
    await assert.rejects(daemon.call("sessions.prompt", { session, text: "touch ran" }), {
      code: "CONFLICT",
      message: /may be a shell, which would run the text as a command; .* or prompt the shell with --shell/,
    });
    const text = "echo ran-$((40+2))";
    const { state, reason } = await daemon.call("sessions.prompt", { session, text, shell: true, waitMs: 90_000 });
    assert.equal(state, "done", reason ?? "");
    await daemon.untilOutput(session, "ran-42", 0);
  }
});

test("what hands its input to a shell gets no prompt, nor what may ask for a yes", async () => {
  const daemon = await shared.empty();
  const ask = (question: string): string[] => [
    "python3",
    "-c",
    "import sys; print(repr(input(sys.argv[1])))",
    question,
  ];
  for (const [command, message] of [
    [["sh", "-c", "cat | sh"], /may be a shell/],
    [["sh", "-c", "xargs -I{} sh -c {}"], /may be a shell/],
    [ask("Delete [yes|no] > "), /a key of the text could answer a question/],
    [ask("Type yes to delete everything > "), /a key of the text could answer a question/],
  ] as const) {
    const { id: session } = await daemon.run([...command]);
    await daemon.call("sessions.wait", { session, for: { type: "status", states: ["waiting"] }, timeoutMs: 90_000 });
    const refused = daemon.call("sessions.prompt", { session, text: "touch ran" });
    await assert.rejects(refused, { code: "CONFLICT", message }, command.join(" "));
    await daemon.call("sessions.kill", { session });
  }
});

test("a prompt is not done while its agent is stopped, and goes on with it", async () => {
  const daemon = await shared.empty();
  const file = join(daemon.paths.dataDirectory, "taken.txt");
  const boxed = join(import.meta.dirname, "../support/boxed-program.ts");
  const { id: session } = await daemon.run(bash);
  const states = { type: "status" as const, states: ["waiting" as const] };
  await daemon.call("sessions.wait", { session, for: states, timeoutMs: 90_000 });
  const command = `'${process.execPath}' '${boxed}' '${file}' '' stops`;
  const { next } = await daemon.call("sessions.input", { session, text: command, enter: true });
  await daemon.untilOutput(session, "/model", next);
  await daemon.call("sessions.wait", { session, for: states, timeoutMs: 90_000 });
  await daemon.call("sessions.prompt", { session, text: "go on", key: "one" });
  const receipt = async () => await daemon.call("sessions.receipt", { session, key: "one" });
  await until(async () => (await receipt()).reason?.includes("it was stopped") === true, "the receipt reports it");
  assert.ok(["submitted", "working"].includes((await receipt()).state));
  await daemon.call("sessions.exec", { session, command: "fg", timeoutMs: 2000 });
  const done = await daemon.call("sessions.receipt", { session, key: "one", waitMs: 90_000 });
  assert.equal(done.state, "done", done.reason ?? "");
});
