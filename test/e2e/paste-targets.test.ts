/** An agent that dies within a paste of several lines, in front of a shell that takes no pastes: none of the lines is run there. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SessionEntry } from "../../src/daemon/sessions/session-entry.ts";
import { SharedDaemon } from "../support/shared-daemon.ts";
import { isRunning, type TemporaryDaemon } from "../support/temporary-daemon.ts";
import { until } from "../support/until.ts";
import { firstOf } from "../support/variants.ts";

const shared = new SharedDaemon();
const program = join(import.meta.dirname, "../support/boxed-program.ts");
const LINES = 6;
const WAIT_MS_MAX = 90_000;

/** Called around each input of the daemon that is meant for somebody. */
let around: ((type: () => Promise<unknown>, input: { pid: number; key: string }) => Promise<unknown>) | undefined;
const inputOf: SessionEntry["input"] = Reflect.get(SessionEntry.prototype, "input");
SessionEntry.prototype.input = async function (this: SessionEntry, bytes, how) {
  const type = async (): ReturnType<SessionEntry["input"]> => await inputOf.call(this, bytes, how);
  const [pid, key] = [how?.reader?.pid ?? null, how?.key ?? ""];
  const typed = around === undefined || pid === null ? type() : around(type, { pid, key });
  return (await typed) as Awaited<ReturnType<SessionEntry["input"]>>;
};

async function untilWaiting(daemon: TemporaryDaemon, session: string): Promise<void> {
  const states = { type: "status" as const, states: ["waiting" as const] };
  await daemon.call("sessions.wait", { session, for: states, timeoutMs: WAIT_MS_MAX });
}

/** The agent in front of dash. */
async function startAgent(daemon: TemporaryDaemon, file: string): Promise<string> {
  const { id } = await daemon.run(["dash", "-i"]);
  await untilWaiting(daemon, id);
  await daemon.call("sessions.input", {
    session: id,
    text: `'${process.execPath}' '${program}' '${file}'`,
    enter: true,
  });
  await daemon.untilOutput(id, "Type your message", 0);
  await untilWaiting(daemon, id);
  return id;
}

test("an agent that takes a paste of many lines gets it as one", async () => {
  const daemon = await shared.empty();
  const file = join(daemon.paths.dataDirectory, "taken.txt");
  const session = await startAgent(daemon, file);
  for (const lines of [3, 40, 120]) {
    rmSync(file, { force: true });
    const text = Array.from({ length: lines }, (_, index) => `line ${index}`).join("\n");
    const receipt = await daemon.call("sessions.prompt", { session, text, waitMs: WAIT_MS_MAX });
    assert.equal(receipt.state, "done", receipt.reason ?? "");
    assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), text);
  }
});

for (const when of ["before", "after"] as const) {
  test(`an agent that dies ${when} a part of a paste leaves dash nothing to run`, async () => {
    const daemon = await shared.empty();
    for (const part of firstOf([1, LINES, 2, 3, 4, 5], 2)) {
      const session = await startAgent(daemon, join(daemon.paths.dataDirectory, `taken-${part}.txt`));
      const ran = join(daemon.paths.dataDirectory, `ran-${when}-${part}`);
      const wanted = part === LINES ? "paste:text" : `paste:text.${part - 1}`;
      let isDead = false;
      around = async (type, { pid, key }) => {
        const die = async (): Promise<void> => {
          if (isDead || key !== wanted) return;
          isDead = true;
          process.kill(pid, "SIGKILL");
          await until(() => !isRunning(pid), "the agent has ended");
        };
        if (when === "before") await die();
        const typed = await type();
        if (when === "after") await die();
        return typed;
      };
      const text = Array.from({ length: LINES }, () => `echo $$ >> '${ran}'`).join("\n");
      const receipt = await daemon.call("sessions.prompt", { session, text, key: "paste", waitMs: WAIT_MS_MAX });
      around = undefined;
      assert.equal(receipt.state, "failed", `part ${part}`);
      assert.match(receipt.reason ?? "", /which has ended|not in the foreground any more/, `part ${part}`);
      assert.equal(existsSync(ran), false, `part ${part}`);
      await daemon.call("sessions.remove", { session, force: true });
    }
  });
}
