/** A prompt is not typed into a program that takes single keys: one of its letters would be the answer to a question. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SharedDaemon } from "../support/shared-daemon.ts";
import type { TemporaryDaemon } from "../support/temporary-daemon.ts";
import { someOf } from "../support/variants.ts";

const shared = new SharedDaemon();
const program = join(import.meta.dirname, "../support/raw-question.py");
const text = "you may go on with the tests";
const refused = /does not show an input line.*lectern key .* or type the text all the same with --force/;

const questions = {
  "a question with (y/N)": '? Delete the cluster "prod"? › (y/N)',
  "a confirmation by two buttons": "◆  Delete the cluster?\n│  ○ Yes / ● No\n└",
  "a menu that ends like a prompt": "  1) npm\n  2) yarn\nChoose > ",
  "a bare sign below a question": "Delete the cluster?\n> ",
  "a bare sign with a cursor": "1) Keep it\n2) Delete it\n\u001B[?25h> ",
  "a word and a sign with a cursor": "1) Keep it\n2) Delete it\n\u001B[?25hChoose> ",
  "a list with check boxes": "? Which? (Press <space> to select)\n❯◯ npm\n ◯ yarn",
  "a list on the whole screen": "\u001B[?1049h\u001B[2J\u001B[H  Packages\n> first\n  second",
  "an editor on the whole screen": "\u001B[?1049h\u001B[?2004h\u001B[2J\u001B[Hone\n~\n~",
  "a question whose keys are in brackets": "? Conflict on a.txt (ysH) ",
  "a dialog with buttons": "\u001B[?1049h\u001B[2J\u001B[H┌──────────┐\n│ Restart? │\n│ <Yes> <No> │\n└──────────┘",
};

async function ask(daemon: TemporaryDaemon, shown: string): Promise<{ id: string; keys: () => string }> {
  const file = join(mkdtempSync(join(daemon.paths.dataDirectory, "keys-")), "keys");
  const { id } = await daemon.run(["python3", program, file, shown]);
  const states = ["waiting" as const, "blocked" as const];
  await daemon.call("sessions.wait", { session: id, for: { type: "status", states }, timeoutMs: 90_000 });
  return { id, keys: () => readFileSync(file, "utf8") };
}

for (const [name, shown] of someOf(
  questions,
  "a confirmation by two buttons",
  "a bare sign with a cursor",
  "a dialog with buttons",
))
  test(`a prompt and a command are refused in front of ${name}`, async () => {
    const daemon = await shared.empty();
    const { id, keys } = await ask(daemon, shown);
    await assert.rejects(daemon.call("sessions.prompt", { session: id, text, waitMs: 90_000 }), {
      code: "CONFLICT",
      message: /does not show an input line|it asks/,
    });
    const { ran } = await daemon.call("sessions.exec", { session: id, command: "echo yes", timeoutMs: 5000 });
    assert.equal(ran, false);
    assert.equal(keys(), "");
  });

test("a prompt that waits is not typed into a question that comes meanwhile, and neither is one with whenEmpty", async () => {
  const daemon = await shared.empty();
  const directory = mkdtempSync(join(daemon.paths.dataDirectory, "keys-"));
  const file = join(directory, "keys");
  const go = join(directory, "go");
  const asks = `until [ -e '${go}' ]; do sleep 0.1; done; exec python3 '${program}' '${file}'`;
  const { id: session } = await daemon.run(["sh", "-c", asks]);
  await daemon.call("sessions.prompt", { session, text, key: "one" });
  await daemon.call("sessions.prompt", { session, text, key: "two", whenEmpty: true });
  writeFileSync(go, "");
  for (const key of ["one", "two"]) {
    const { state, reason } = await daemon.call("sessions.receipt", { session, key, waitMs: 90_000 });
    assert.equal(state, "failed", reason ?? "");
    assert.match(reason ?? "", new RegExp(`^nothing was typed: it ${refused.source}`));
  }
  assert.equal(readFileSync(file, "utf8"), "");
});

test("a prompt is forced into a program that takes keys, and its receipt says that it was typed", async () => {
  const daemon = await shared.empty();
  const { id, keys } = await ask(daemon, questions["a list on the whole screen"]);
  const prompt = { session: id, text, key: "forced", force: true, waitMs: 90_000 };
  const { steps, isForced } = await daemon.call("sessions.prompt", prompt);
  assert.equal(isForced, true);
  assert.deepEqual(
    steps.slice(0, 2).map(({ state }) => state),
    ["accepted", "typed"],
  );
  assert.equal(keys(), "y");
  await assert.rejects(daemon.call("sessions.cancel", { session: id, key: "forced" }), { code: "CONFLICT" });
});

test("a prompt is typed to programs with a line editor, a prompt or lines of the terminal", async () => {
  const daemon = await shared.empty();
  const inputs: readonly (readonly [input: string, ...command: string[]])[] = [
    ["echo $((40+2))", "bash", "--norc", "--noprofile"],
    ["echo $((40+2))", "bash", "--norc", "--noprofile", "+o", "emacs"],
    ["echo $((40+2))", "sh", "-i"],
    ["print(40+2)", "python3", "-q"],
    ["console.log(40+2)", process.execPath, "-i"],
    // A chat with readline, as of llm: CPython asks for no pastes there.
    ["2", "python3", "-c", "import readline; print(40+int(input('> ')))"],
    ["2", "python3", "-c", "print(40+int(input('plus>')))"],
  ];
  for (const [input, ...command] of inputs) {
    const { id } = await daemon.run(command);
    await daemon.call("sessions.wait", {
      session: id,
      for: { type: "status", states: ["waiting"] },
      timeoutMs: 90_000,
    });
    const { state, reason } = await daemon.call("sessions.prompt", {
      session: id,
      text: input,
      shell: true,
      waitMs: 90_000,
    });
    assert.equal(state, "done", `${command.join(" ")}: ${reason}`);
    await daemon.untilOutput(id, "42", 0);
  }
});
