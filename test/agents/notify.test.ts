/** A dialog of a real agent, answered by a notice as the app of ntfy and the worker of the page's push messages do it. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { configuredDaemon, reconfigure, serverOf } from "../support/configured-daemon.ts";
import { NoticeReceiver } from "../support/notice-receiver.ts";
import { PushReceiver } from "../support/push-receiver.ts";
import { until } from "../support/until.ts";
import { installedAgent } from "./installed-agents.ts";
import { LiveAgent } from "./live-agent.ts";

interface Button {
  readonly label: string;
  readonly press: () => Promise<Response>;
}

interface ReceivedQuestion {
  readonly text: string;
  readonly buttons: readonly Button[];
}

/** Where the notices of one channel arrive. */
interface Device {
  /** With a notice for each question, answered at this address. */
  readonly settings: (url: string) => object;
  readonly setUp?: (agent: LiveAgent) => Promise<void>;
  /** The questions that have arrived, oldest first. */
  readonly questions: (url: string) => readonly ReceivedQuestion[];
  /** Who answers by it. */
  readonly person: string;
}

const rules = (channel: string): object => ({
  rules: [{ on: ["blocked"], after: "0s", content: "question", to: [channel] }],
});

/** What the app does: https://docs.ntfy.sh/publish/#send-http-request */
function ntfyDevice(receiver: NoticeReceiver): Device {
  const phone = { kind: "ntfy", url: `http://${receiver.host}/topic` };
  const headers = { "user-agent": "ntfy/1.16.0 (play; Android)" };
  return {
    person: "ntfy (phone)",
    settings: (publicUrl) => ({
      notify: { channels: { phone }, ...rules("phone"), privateTargets: [receiver.host], publicUrl },
    }),
    questions: () =>
      receiver.received.map((notice) => {
        const actions = JSON.parse(String(notice.headers["actions"])) as readonly {
          readonly label: string;
          readonly url: string;
          readonly method: string;
        }[];
        const buttons = actions.map(({ label, method, url }) => ({
          label,
          press: async () => await fetch(url, { method, headers }),
        }));
        return { text: notice.body, buttons };
      }),
  };
}

/** What the page's worker does with a message that it has decrypted; `test/web/push.test.ts` runs it in a browser. */
function pushDevice(receiver: PushReceiver): Device {
  return {
    person: "push (Phone)",
    settings: () => ({ notify: { ...rules("push"), privateTargets: [receiver.host] } }),
    setUp: async ({ daemon }) => {
      receiver.applicationServerKey = (await daemon.call("push.list", {})).publicKey;
      await daemon.call("push.subscribe", { ...receiver.subscription, label: "Phone" });
    },
    questions: (url) =>
      receiver.received
        .filter(({ message }) => message["type"] === "show")
        .map(({ message }) => {
          const answers = message["answers"] as readonly { readonly label: string; readonly path: string }[];
          const buttons = answers.map(({ label, path }) => ({
            label,
            press: async () => await fetch(`${url}${path}`, { method: "POST" }),
          }));
          return { text: String(message["body"]), buttons };
        }),
  };
}

/** Two dialogs of claude, both answered by the device. */
async function answersClaude(context: TestContext, device: Device): Promise<void> {
  const installed = await installedAgent("claude").catch((error: Error) => error);
  if (installed instanceof Error) return context.skip(`claude cannot be installed: ${installed.message}`);
  const callOf = (file: string) => ({ name: "Bash", arguments: { command: `touch ${file} && echo made-${file}` } });
  const scenario = {
    turns: [
      { when: { last: "make-them" }, say: "First.", calls: [callOf("first.txt")] },
      { when: { last: "made-first.txt" }, say: "Second.", calls: [callOf("second.txt")] },
      { when: { last: "made-second.txt" }, say: "Both are made." },
    ],
    fallback: { say: "No more." },
  };
  const daemonOf = async () => await configuredDaemon(device.settings("http://unused.example"));
  await using agent = await LiveAgent.start(installed, scenario, { daemon: daemonOf });
  await using server = await serverOf(agent.daemon);
  const url = server.listeners[0]?.url ?? "";
  await reconfigure(agent.daemon, device.settings(url));
  await device.setUp?.(agent);
  const prompting = agent.prompt("Please make-them");
  const question = async (number: number): Promise<ReceivedQuestion> => {
    await until(() => device.questions(url).length > number);
    return device.questions(url)[number]!;
  };
  const yes = ({ buttons }: ReceivedQuestion): Button => buttons.find(({ label }) => label === "Yes")!;
  const answer = (response: Response, text: string): void =>
    assert.ok(text.startsWith(`Answered: Yes (${device.person}, `), `${response.status}: ${text}`);

  const first = await question(0);
  assert.match(first.text, /touch first\.txt/);
  const answered = await yes(first).press();
  answer(answered, await answered.text());
  assert.equal(answered.status, 200);
  const again = await first.buttons.find((button) => button !== yes(first))!.press();
  assert.equal(again.status, 409);
  answer(again, (await again.text()).replace(/^Answered before/, "Answered"));

  const second = await question(1);
  assert.match(second.text, /touch second\.txt/);
  // The question of the first notice is another one now.
  assert.equal((await yes(first).press()).status, 409);
  assert.equal(existsSync(join(agent.home.workingDirectory, "second.txt")), false);
  assert.equal((await yes(second).press()).status, 200);
  const receipt = await prompting;
  assert.equal(receipt.state, "done", JSON.stringify(receipt));
  const isMade = (file: string): boolean => existsSync(join(agent.home.workingDirectory, file));
  assert.deepEqual(["first.txt", "second.txt"].map(isMade), [true, true]);
  assert.equal(device.questions(url).length, 2);
}

test("a button of ntfy answers a dialog of claude; the second tap says who answered, and a changed question refuses", async (context) => {
  await using receiver = await NoticeReceiver.start(200);
  await answersClaude(context, ntfyDevice(receiver));
});

test("so does the button of a push message, from what a device decrypts", async (context) => {
  await using receiver = await PushReceiver.start();
  await answersClaude(context, pushDevice(receiver));
  assert.deepEqual(receiver.faults, []);
});
