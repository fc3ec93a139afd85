/** A dialog of a real agent, answered by the button of a notice as the app of ntfy presses it. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { configuredDaemon, reconfigure, serverOf } from "../support/configured-daemon.ts";
import { NoticeReceiver } from "../support/notice-receiver.ts";
import { until } from "../support/until.ts";
import { installedAgent } from "./installed-agents.ts";
import { LiveAgent } from "./live-agent.ts";

interface Action {
  readonly action: string;
  readonly label: string;
  readonly url: string;
  readonly method: string;
}

const settingsFor = (host: string, publicUrl: string): object => ({
  notify: {
    channels: { phone: { kind: "ntfy", url: `http://${host}/topic` } },
    rules: [{ on: ["blocked"], after: "0s", content: "question", to: ["phone"] }],
    privateTargets: [host],
    publicUrl,
  },
});

/** What the app does: https://docs.ntfy.sh/publish/#send-http-request */
const press = async ({ method, url }: Action): Promise<Response> =>
  await fetch(url, { method, headers: { "user-agent": "ntfy/1.16.0 (play; Android)" } });

test("a button of ntfy answers a dialog of claude; the second tap says who answered, and a changed question refuses", async (context) => {
  const installed = await installedAgent("claude").catch((error: Error) => error);
  if (installed instanceof Error) return context.skip(`claude cannot be installed: ${installed.message}`);
  await using receiver = await NoticeReceiver.start(200);
  const callOf = (file: string) => ({ name: "Bash", arguments: { command: `touch ${file} && echo made-${file}` } });
  const scenario = {
    turns: [
      { when: { last: "make-them" }, say: "First.", calls: [callOf("first.txt")] },
      { when: { last: "made-first.txt" }, say: "Second.", calls: [callOf("second.txt")] },
      { when: { last: "made-second.txt" }, say: "Both are made." },
    ],
    fallback: { say: "No more." },
  };
  const daemonOf = async () => await configuredDaemon(settingsFor(receiver.host, "http://unused.example"));
  await using agent = await LiveAgent.start(installed, scenario, { daemon: daemonOf });
  await using server = await serverOf(agent.daemon);
  await reconfigure(agent.daemon, settingsFor(receiver.host, server.listeners[0]?.url ?? ""));
  const prompting = agent.prompt("Please make-them");
  const actionsOf = async (number: number): Promise<readonly Action[]> => {
    await until(() => receiver.received.length > number);
    return JSON.parse(String(receiver.received[number]?.headers["actions"])) as Action[];
  };

  const first = await actionsOf(0);
  assert.match(receiver.received[0]?.body ?? "", /touch first\.txt/);
  const allow = first.find(({ label }) => label === "Yes")!;
  const answered = await press(allow);
  assert.match(await answered.text(), /^Answered: Yes \(ntfy \(phone\), \d\d:\d\d UTC\)/);
  assert.equal(answered.status, 200);
  const again = await press(first.at(-1)!);
  assert.equal(again.status, 409);
  assert.match(await again.text(), /^Answered(?: before)?: Yes \(ntfy \(phone\), /);

  const second = await actionsOf(1);
  // The question of the first notice is another one now.
  assert.equal((await press(allow)).status, 409);
  assert.equal(existsSync(join(agent.home.workingDirectory, "second.txt")), false);
  assert.equal((await press(second.find(({ label }) => label === "Yes")!)).status, 200);
  const receipt = await prompting;
  assert.equal(receipt.state, "done", JSON.stringify(receipt));
  const isMade = (file: string): boolean => existsSync(join(agent.home.workingDirectory, file));
  assert.deepEqual(["first.txt", "second.txt"].map(isMade), [true, true]);
  assert.equal(receiver.received.length, 2);
});
