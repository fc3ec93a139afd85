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
