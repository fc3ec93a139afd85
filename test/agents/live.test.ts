/** Real agents, unchanged, in a real daemon: status, messages, approvals and receipts against what the scripted model said. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Receipt } from "../../src/core/acting/receipt.ts";
import type { Scenario, ScriptedCall } from "../support/scripted-model/scenario.ts";
import { type AgentName, installedAgent } from "./installed-agents.ts";
import { LiveAgent } from "./live-agent.ts";

interface Shell {
  readonly tool: string;
  readonly argument: string;
  /** What else the tool must have, or may have. */
  readonly more: Readonly<Record<string, unknown>>;
  /** Whether a person is asked before it runs. */
  readonly asks: boolean;
}

const described = { description: "Makes a file" };
const escalated = { sandbox_permissions: "require_escalated", justification: "It is outside" };

/** The tool with which each of them runs a shell command. */
const shells: Readonly<Partial<Record<AgentName, Shell>>> = {
  claude: { tool: "Bash", argument: "command", more: described, asks: true },
  codex: { tool: "exec_command", argument: "cmd", more: escalated, asks: true },
  gemini: { tool: "run_shell_command", argument: "command", more: described, asks: true },
  opencode: { tool: "bash", argument: "command", more: described, asks: true },
  qwen: { tool: "run_shell_command", argument: "command", more: { ...described, is_background: false }, asks: true },
  pi: { tool: "bash", argument: "command", more: { timeout: 10 }, asks: false },
  copilot: { tool: "bash", argument: "command", more: described, asks: true },
  continue: { tool: "Bash", argument: "command", more: {}, asks: true },
};

const long = [
  "# What was found",
  "The first paragraph goes over more than one row of the terminal, with **bold** and with `code` inside.",
  ...Array.from({ length: 12 }, (_, index) => `- Item ${index + 1} of the list has a few words`),
  "Chinese 你好，世界 and Japanese こんにちは and Korean 안녕하세요 are wide.",
  "```\nfunction answer() {\n  return 42;\n}\n```",
  "The end of it.",
].join("\n\n");
// No two sentences alike: Gemini CLI asks what to do about a model that repeats itself.
const slow = Array.from({ length: 24 }, (_, index) => `Word ${index} goes here.`).join(" ");
const lines = "The first line is in-lines\nand a second\n\nand a last one";

/** Without what agents render away or draw in its place: marks of markdown, blanks and wraps. */
const letters = (text: string): string => text.replaceAll(/[\s#*`•·-]+/gu, "");

const statesOf = ({ steps }: Receipt): string[] => steps.map(({ state }) => state);

for (const [name, shell] of Object.entries(shells) as [AgentName, Shell][]) {
  const live = (
    behaviour: string,
    scenario: Scenario,
    check: (agent: LiveAgent, note: (text: string) => void) => Promise<void>,
  ): void =>
    void test(`${name} in the daemon: ${behaviour}`, async (context) => {
      const installed = await installedAgent(name).catch((error: Error) => error);
      if (installed instanceof Error)
        return context.skip(`${name} did not run, it cannot be installed: ${installed.message}`);
      await using agent = await LiveAgent.start(installed, { fallback: { say: "No more." }, ...scenario });
      await check(agent, (text) => context.diagnostic(`${name} ${agent.version}: ${text}`));
    });
  const call = (command: string): ScriptedCall => ({
    name: shell.tool,
    arguments: { [shell.argument]: command, ...shell.more },
  });

  live(
    "prompts are typed once and answered exactly, also over a restart of the daemon",
    {
      turns: [
        { when: { last: "tell-long" }, say: long, delayMs: 10 },
        { when: { last: "in-lines" }, say: "All lines came.", delayMs: 20 },
        { when: { last: "be-slow" }, say: slow, delayMs: 150 },
      ],
    },
    async (agent, note) => {
      const said = [
        ["Please tell-long", long],
        [lines, "All lines came."],
        ["Please be-slow", slow],
      ] as const;
      for (const [prompt, say] of said) {
        const before = (await agent.messages("user", "assistant")).length;
        const { receipt, waitingMs } = await agent.turn(prompt, { restart: prompt.includes("slow") });
        assert.deepEqual(
          statesOf(receipt),
          ["accepted", "typed", "echoed", "submitted", "working", "done"],
          receipt.reason ?? "",
        );
        if (waitingMs !== null) note(`last byte of the answer to status "waiting" ${waitingMs.toFixed(0)} ms`);
        const [user, ...answers] = (await agent.wholeMessages("user", "assistant")).slice(before);
        assert.deepEqual([user?.role, letters(user?.text ?? "")], ["user", letters(prompt)]);
        if (answers.some(({ isIncomplete }) => isIncomplete)) note("frames were skipped, and the answer says so");
        else assert.equal(letters(answers.map(({ text }) => text).join("")), letters(say));
        assert.ok(answers.every(({ isPartial }) => !isPartial));
      }
      assert.deepEqual(agent.daemon.errors, []);
    },
  );

  if (shell.asks) {
    live(
      "a dialog becomes an approval; what is allowed runs, what is denied does not",
      {
        turns: [
          { when: { last: "allow-this" }, say: "I make it.", calls: [call("touch allowed.txt && echo it-is-made")] },
          { when: { last: "it-is-made" }, say: "It is made now." },
          { when: { last: "deny-this" }, say: "I try it.", calls: [call("touch denied.txt && echo it-is-bad")] },
        ],
      },
      async (agent, note) => {
        for (const option of ["allow", "deny"] as const) {
          const prompting = agent.prompt(`Please ${option}-this`);
          const { approval, visibleMs } = await agent.asked(
            option === "allow" ? "touch allowed.txt" : "touch denied.txt",
          );
          note(`dialog drawn to approval visible ${visibleMs.toFixed(0)} ms`);
          assert.equal(approval.kind, "permission");
          assert.equal(approval.agent, name);
          assert.equal((await agent.status())?.state, "blocked");
          await assert.rejects(agent.prompt("not now"), { code: "CONFLICT" });
          await agent.answer(approval, option);
          const receipt = await prompting;
          assert.deepEqual(statesOf(receipt), ["accepted", "typed", "echoed", "submitted", "working", "done"]);
        }
        assert.ok(existsSync(join(agent.home.workingDirectory, "allowed.txt")));
        assert.ok(!existsSync(join(agent.home.workingDirectory, "denied.txt")));
        const messages = await agent.messages();
        const answers = messages.filter(({ role }) => role === "assistant").map(({ text }) => text);
        assert.deepEqual(
          answers.filter((text) => text !== ""),
          ["I make it.", "It is made now.", "I try it."],
        );
        const asked = messages.filter(({ role }) => role === "approval").map(({ text }) => text);
        assert.equal(asked.length, 2);
        assert.ok(asked.every((text) => text.includes("answered by person (note: anna)")));
        assert.ok(
          messages.some(({ role, tool }) => role === "tool-call" && tool?.input?.includes("touch allowed.txt")),
        );
      },
    );
  } else {
    live(
      "a tool that needs no permission runs, and nobody is asked",
      {
        turns: [
          { when: { last: "use-it" }, say: "I make it.", calls: [call("touch allowed.txt && echo it-is-made")] },
          { when: { last: "it-is-made" }, say: "It is made now." },
        ],
      },
      async (agent) => {
        assert.equal((await agent.prompt("Please use-it")).state, "done");
        assert.ok(existsSync(join(agent.home.workingDirectory, "allowed.txt")));
        const told = await agent.messages("assistant", "tool-call", "tool-result", "approval");
        assert.deepEqual(
          told.map(({ role }) => role),
          ["assistant", "tool-call", "tool-result", "assistant"],
        );
      },
    );
  }

  live(
    "an answer that is cut off and one that is refused end their turns, and the next prompt is answered",
    {
      turns: [
        // First: what was refused stands before it, without an answer between.
        { when: { last: "and-now" }, say: "All is well." },
        { when: { last: "cut-it" }, say: "This answer is cut off before its end comes.", eventChars: 4, truncate: 7 },
        { when: { last: "cut-it" }, times: "always", say: "It is whole this time." },
        {
          when: { last: "refuse-it" },
          times: "always",
          status: 400,
          error: { type: "invalid_request_error", message: "This is refused" },
        },
      ],
    },
    async (agent, note) => {
      for (const prompt of ["Please cut-it", "Please refuse-it", "Please say and-now"]) {
        const { state, reason } = await agent.prompt(prompt);
        assert.equal(state, "done", `${prompt}: ${reason}`);
        const { state: status, summary } = (await agent.status())!;
        note(`after "${prompt}": ${status}, ${summary}`);
        assert.ok(status === "waiting" || status === "idle", status);
      }
      assert.equal((await agent.messages("assistant")).at(-1)?.text, "All is well.");
    },
  );
}
