/** A call that the policy asks about, and that the agent asks about in a dialog of its own: one question, or both with `askOnce: false`. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { LecternError } from "../../src/core/errors.ts";
import type { SessionEvent } from "../../src/core/records.ts";
import type { OutputOf } from "../../src/protocol/operations.ts";
import type { Scenario } from "../support/scripted-model/scenario.ts";
import { shells } from "./behind-gateway.ts";
import { gatedAgents, installedAgent } from "./installed-agents.ts";
import { LiveAgent } from "./live-agent.ts";

type Asked = OutputOf<"approvals.list">["approvals"][number];
type Name = (typeof gatedAgents)[number];

const policy = `
version: 1
default: allow
opaque: allow
rules:
  - { id: ask-touch, effect: ask, command: "touch asked.txt" }
  - { id: ask-second, effect: ask, command: "touch second.txt" }
`;

/** Codex asks only for what leaves its sandbox. */
const asksItself: Readonly<Partial<Record<Name, object>>> = {
  codex: { sandbox_permissions: "require_escalated", justification: "It is outside" },
};

const scenarioOf = (name: Name): Scenario => {
  const { argument, more, tool } = shells[name];
  const callOf = (command: string) => ({
    name: tool,
    arguments: { [argument]: command, ...more, ...asksItself[name] },
  });
  return {
    turns: [
      { when: { last: "ask-me" }, say: "May I?", calls: [callOf("touch asked.txt && echo it-was-asked")] },
      { when: { last: "it-was-asked" }, say: "And this?", calls: [callOf("touch second.txt && echo it-was-second")] },
      { when: { last: "it-was-second" }, say: "Both are made." },
    ],
    fallback: { say: "No more." },
  };
};

/** Allows every question until the prompt is done. */
async function allowAll({ daemon, session }: LiveAgent, prompting: Promise<unknown>): Promise<readonly Asked[]> {
  const asked = new Map<string, Asked>();
  const over = prompting.then(() => true);
  for (let version: number | undefined; ;) {
    const page = await daemon.call("approvals.list", { session, version, waitMs: 1000 });
    for (const question of page.approvals.filter(({ id }) => !asked.has(id))) {
      const { id: approval, digest } = question;
      // A dialog that is drawn in pieces may be another question by now, which the next page has.
      const option = question.options.find(({ effect }) => effect === "allow")?.id ?? "none";
      const answer = { session, approval, option, digest, by: "anna" };
      const isAnswered = await daemon.call("approvals.answer", answer).then(
        () => true,
        (error: unknown) => {
          if (error instanceof LecternError && ["CONFLICT", "INVALID_INPUT"].includes(error.code)) return false;
          throw error;
        },
      );
      if (isAnswered) asked.set(question.id, question);
    }
    if (await Promise.race([over, Promise.resolve(false)])) return [...asked.values()];
    ({ version } = page);
  }
}

/** Further prompts. */
const FURTHER_MAX = 3;

/** On a busy machine Gemini may leave the text in its box when Enter is pressed: then this does what the receipt names as the next step. */
async function promptUntilTaken(agent: LiveAgent): ReturnType<LiveAgent["prompt"]> {
  let receipt = await agent.prompt("Please ask-me");
  for (let left = FURTHER_MAX; left > 0 && isLeftInBox(receipt); left -= 1) {
    await agent.daemon.call("sessions.keys", { session: agent.session, keys: ["C-u"] });
    receipt = await agent.prompt("Please ask-me");
  }
  return receipt;
}

const isLeftInBox = ({ reason, state }: Awaited<ReturnType<LiveAgent["prompt"]>>): boolean =>
  state === "failed" && reason?.startsWith("Enter was pressed, and the text stood in the input box") === true;

for (const name of gatedAgents) {
  for (const askOnce of [true, false]) {
    test(`${name} behind the gateway: ${askOnce ? "one question" : "two questions, where it is asked for them,"} for each call`, async (context) => {
      const installed = await installedAgent(name).catch((error: Error) => error);
      if (installed instanceof Error) return context.skip(`${name} cannot be installed: ${installed.message}`);
      const [route = "", address = ""] = shells[name].upstream("URL").split("=");
      await using agent = await LiveAgent.start(installed, scenarioOf(name), {
        wire: (url) => ({ policy, askOnce, upstreams: { [route]: address.replace("URL", url) } }),
      });
      const prompting = promptUntilTaken(agent);
      const asked = await allowAll(agent, prompting);
      const receipt = await prompting;
      assert.equal(receipt.state, "done", JSON.stringify(receipt));
      const isMade = (file: string): boolean => existsSync(join(agent.home.workingDirectory, file));
      assert.deepEqual(["asked.txt", "second.txt"].map(isMade), [true, true]);
      const each = askOnce ? ["wire"] : ["wire", "screen"];
      assert.deepEqual(
        asked.map(({ source }) => source),
        [...each, ...each],
      );
      const marks = await agent.daemon.call("sessions.records", { session: agent.session, types: ["mark"] });
      const events = marks.records.map(({ event }) => event as SessionEvent);
      const answers = events.flatMap((event) => (event.type === "approval-answer" ? [event.by ?? ""] : []));
      // The agent's own dialogs were answered, each once, and the journal has from which answer.
      assert.equal(answers.length, 2);
      assert.ok(
        answers.every((by) => by.includes("anna") && by.includes(", as ") === askOnce),
        answers.join(),
      );
      const { rows } = await agent.daemon.call("audit.list", { session: agent.session });
      assert.equal(rows.filter((row) => JSON.stringify(row).includes('"type":"answer"')).length, 2);
      assert.deepEqual(agent.daemon.errors, []);
    });
  }
}
