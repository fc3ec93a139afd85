/** Nothing is typed behind an answer of the terminal that no program has read: it stands in the shell's line. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SharedDaemon } from "../support/shared-daemon.ts";
import { until } from "../support/until.ts";
import { someOf } from "../support/variants.ts";

const shared = new SharedDaemon();
const waiting = { type: "status" as const, states: ["waiting" as const] };
const queries = {
  DA1: String.raw`\033[c`,
  DSR: String.raw`\033[6n`,
  "OSC 11": String.raw`\033]11;?\007`,
  two: String.raw`\033]11;?\007\033[c`,
};

for (const [name, query] of someOf(queries, "DSR", "two"))
  test(`exec and prompt are refused behind an answer to ${name}, until the line is cleared`, async () => {
    const daemon = await shared.empty();
    const { id } = await daemon.run(["bash", "--norc", "--noprofile"]);
    await daemon.call("sessions.exec", {
      session: id,
      command: `printf '${query}'`,
      timeoutMs: 90_000,
    });
    // Not the echo of the kernel: a slow shell draws its part of the answer behind its prompt, and until then its line is empty.
    const drawn = name === "DSR" ? /[$#] .*\dR$/ : name === "OSC 11" ? /[$#] .*rgb:\S+$/ : /[$#] .*1;2c$/;
    const screen = async () => (await daemon.call("sessions.screen", { session: id })).text.trimEnd();
    await until(async () => drawn.test((await screen()).split("\n").at(-1) ?? ""), "the answer is drawn");
    await daemon.call("sessions.wait", {
      session: id,
      for: { type: "status", states: ["waiting"] },
      timeoutMs: 90_000,
    });
    const command = "X=kept; echo $X-$((40+2))";
    const refused = {
      code: "CONFLICT",
      message: /behind its prompt there are \d+ characters.* clear it with "lectern key/,
    };
    await assert.rejects(daemon.call("sessions.exec", { session: id, command, timeoutMs: 90_000 }), refused);
    await assert.rejects(daemon.call("sessions.prompt", { shell: true, session: id, text: command }), refused);
    assert.doesNotMatch((await daemon.outputOf(id)).toString(), /X=kept/);
    await daemon.call("sessions.keys", { session: id, keys: ["C-u"] });
    const whenEmpty = { shell: true, session: id, text: command, whenEmpty: true, waitMs: 90_000 };
    assert.equal((await daemon.call("sessions.prompt", whenEmpty)).state, "done");
    await daemon.untilOutput(id, "kept-42", 0);
    const { output, exitCode } = await daemon.call("sessions.exec", { session: id, command, timeoutMs: 90_000 });
    assert.deepEqual([output.trim(), exitCode], ["kept-42", 0]);
  });

test("an answer that its program has read holds nothing back", async () => {
  const daemon = await shared.empty();
  const { id } = await daemon.run(["bash", "--norc", "--noprofile"]);
  const ask = String.raw`printf '\033[6n'; IFS= read -rs -d R answer; echo "got $((40+2))"`;
  await daemon.call("sessions.wait", { session: id, for: waiting, timeoutMs: 90_000 });
  const { next } = await daemon.call("sessions.input", { session: id, text: ask, enter: true });
  await daemon.untilOutput(id, "got 42", next);
  await daemon.call("sessions.wait", { session: id, for: waiting, timeoutMs: 90_000 });
  const command = "echo $((40+3))";
  const { output, exitCode } = await daemon.call("sessions.exec", { session: id, command, timeoutMs: 90_000 });
  assert.deepEqual([output.trim(), exitCode], ["43", 0]);
});
