/** Questions of programs without rules are answered with the keys that the program has asked its terminal for. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SharedDaemon } from "../support/shared-daemon.ts";

const shared = new SharedDaemon();

/** Two buttons as ncurses draws them: it asks for application cursor keys, and Escape cancels. */
const buttons = String.raw`
const draw = (at) => process.stdout.write("\x1b[H\x1b[2J\x1b[?1h\x1b[?25l Do you want to continue?\r\n\r\n \x1b[47m  " +
  (at ? "<Yes> \x1b[41m<No>\x1b[47m" : "\x1b[41m<Yes>\x1b[47m <No>") + "  \x1b[m");
let at = 0;
process.stdin.setRawMode(true).on("data", (data) => {
  const keys = String(data);
  if (keys === "\r") end("GOT " + (at ? "No" : "Yes"));
  else if (keys === "\x1bOC") draw(at = 1);
  else if (keys === "\x1bOD") draw(at = 0);
  else end("CANCELLED by " + JSON.stringify(keys));
});
function end(text) { process.stdout.write("\x1b[?1l\x1b[?25h\x1b[m\r\n" + text + "\r\n"); process.exit(); }
draw(0);
`;

test("an answer moves with application cursor keys where the program has asked for them", async () => {
  const daemon = await shared.empty();
  const { id } = await daemon.run([process.execPath, "-e", buttons]);
  const blocked = { type: "status" as const, states: ["blocked" as const] };
  await daemon.call("sessions.wait", { session: id, for: blocked, timeoutMs: 90_000 });
  const [question] = (await daemon.call("approvals.list", { session: id })).approvals;
  assert.deepEqual(
    question?.options.map((option) => [option.id, option.label, option.effect]),
    [
      ["1", "Yes", "allow"],
      ["2", "No", "deny"],
    ],
  );
  await daemon.call("approvals.answer", {
    session: id,
    approval: question?.id ?? "",
    digest: question?.digest ?? "",
    option: "2",
  });
  await daemon.untilOutput(id, "GOT No", 0);
});

test("keys are those that the program has asked for", async () => {
  const daemon = await shared.empty();
  const { id } = await daemon.run([process.execPath, "-e", buttons]);
  await daemon.untilOutput(id, "<No>", 0);
  const { next } = await daemon.call("sessions.keys", { session: id, keys: ["Right"] });
  await daemon.untilOutput(id, "<No>", next);
  await daemon.call("sessions.keys", { session: id, keys: ["Enter"] });
  await daemon.untilOutput(id, "GOT No", 0);
});

test("select of bash has its words", async () => {
  const daemon = await shared.empty();
  const { id } = await daemon.run(["bash", "-c", "select x in apple banana; do echo GOT $x; break; done"]);
  const blocked = { type: "status" as const, states: ["blocked" as const] };
  await daemon.call("sessions.wait", { session: id, for: blocked, timeoutMs: 90_000 });
  const [question] = (await daemon.call("approvals.list", { session: id })).approvals;
  assert.deepEqual(
    question?.options.map((option) => option.label),
    ["apple", "banana"],
  );
  await daemon.call("approvals.answer", {
    session: id,
    approval: question?.id ?? "",
    digest: question?.digest ?? "",
    option: "2",
  });
  await daemon.untilOutput(id, "GOT banana", 0);
});

/** Check boxes as inquirer draws them. Escape shows in "KEYS" what was pressed. */
const boxes = String.raw`
const names = ["alpha", "beta", "gamma"];
const ticked = new Set();
let at = 0;
const draw = () => process.stdout.write("\x1b[H\x1b[2J\x1b[?25l? Select packages\r\n" +
  names.map((name, index) => (index === at ? "❯" : " ") + (ticked.has(name) ? "◉ " : "◯ ") + name).join("\r\n") +
  "\r\n\r\n↑↓ navigate • space select • a all • i invert • ⏎ submit");
process.stdin.setRawMode(true).on("data", (data) => {
  for (const key of String(data).match(/\x1b\[[A-D]|[^]/g)) {
    if (key === "\x1b[B") at = (at + 1) % 3;
    else if (key === "\x1b[A") at = (at + 2) % 3;
    else if (key === " ") ticked.has(names[at]) ? ticked.delete(names[at]) : ticked.add(names[at]);
    else if (key === "\r") { process.stdout.write("\x1b[?25h\x1b[H\x1b[2JGOT " + [...ticked].toSorted().join("-") + "\r\n"); process.exit(); }
  }
  draw();
});
draw();
`;

test("check boxes are ticked one by one, and only the option that submits them ends the question", async () => {
  const daemon = await shared.empty();
  const { id } = await daemon.run([process.execPath, "-e", boxes]);
  const blocked = { type: "status" as const, states: ["blocked" as const] };
  await daemon.call("sessions.wait", { session: id, for: blocked, timeoutMs: 90_000 });
  const asked = async () => {
    const [question] = (await daemon.call("approvals.list", { session: id })).approvals;
    assert.ok(question);
    return question;
  };
  const answer = async (option: string, { digest, id: approval } = { digest: "", id: "" }) =>
    await daemon.call("approvals.answer", { session: id, approval, digest, option });
  const first = await asked();
  assert.deepEqual(
    first.options.map((option) => [option.id, option.label, option.checked]),
    [
      ["1", "alpha", false],
      ["2", "beta", false],
      ["3", "gamma", false],
      ["submit", "Submit (enter)", undefined],
    ],
  );
  const ticked = await answer("2", first);
  assert.deepEqual([ticked.state, ticked.options[1]?.checked], ["open", true]);
  // The question is another one with another tick: what was read before is not submitted.
  await assert.rejects(answer("submit", first), { code: "CONFLICT" });
  const second = await asked();
  assert.equal(second.id, first.id);
  const { next } = await daemon.call("sessions.keys", { session: id, keys: ["Down"] });
  await daemon.untilOutput(id, "❯◯ gamma", next);
  const { next: ticking } = await daemon.call("sessions.keys", { session: id, keys: ["Space"] });
  await daemon.untilOutput(id, "❯◉ gamma", ticking);
  await assert.rejects(answer("submit", second), { code: "CONFLICT" });
  const third = await answer("submit", await asked());
  assert.deepEqual([third.state, third.answer?.option], ["answered", "submit"]);
  await daemon.untilOutput(id, "GOT beta-gamma", 0);
});

/** It takes the first key for its answer, asks the next question at once, and shows what it got. */
const hasty = String.raw`
const asked = ["Go on? (yes/no) ", "Delete all of it? (yes/no) "];
process.stdin.setRawMode(true).on("data", (data) => {
  for (const key of String(data)) process.stdout.write("\r\nGOT " + JSON.stringify(key) + "\r\n" + (asked.shift() ?? "END "));
});
process.stdout.write(asked.shift());
`;

test("a word is typed key by key: the rest of it does not answer the next question", async () => {
  const daemon = await shared.empty();
  const { id } = await daemon.run([process.execPath, "-e", hasty]);
  const blocked = { type: "status" as const, states: ["blocked" as const] };
  await daemon.call("sessions.wait", { session: id, for: blocked, timeoutMs: 90_000 });
  const [first] = (await daemon.call("approvals.list", { session: id })).approvals;
  assert.equal(first?.question, "Go on? (yes/no)");
  const given = { session: id, approval: first.id, digest: first.digest, option: "yes" };
  // Whether that was the answer is not known: a program may want the whole word.
  await daemon.call("approvals.answer", given).catch(() => undefined);
  await daemon.call("sessions.keys", { session: id, keys: ["z"] });
  await daemon.untilOutput(id, String.raw`GOT "y"\s+Delete all of it\? \(yes/no\) \s*GOT "z"`, 0);
});
