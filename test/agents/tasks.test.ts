/** Real agents, unchanged, as tasks: three of them at once, each in its own worktree. What they ask first is for a person, and the prompt waits. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { GitRepository } from "../support/git-repository.ts";
import { ScriptedModel } from "../support/scripted-model/scripted-model.ts";
import { TemporaryDaemon } from "../support/temporary-daemon.ts";
import { until } from "../support/until.ts";
import { AgentHome } from "./agent-home.ts";
import { installedAgent } from "./installed-agents.ts";

const names = ["try-1", "try-2", "try-3"];

test("three Claude Codes work on one task, and no file of one is in another", async (context) => {
  const installed = await installedAgent("claude").catch((error: Error) => error);
  if (installed instanceof Error) return context.skip(`claude cannot be installed: ${installed.message}`);
  using repository = new GitRepository();
  await using model = await ScriptedModel.start({
    aside: "A title",
    turns: [
      {
        when: { last: "make-it" },
        times: "always",
        say: "I make it.",
        calls: [{ name: "Bash", arguments: { command: "pwd > made.txt && echo it-is-made", description: "Makes it" } }],
      },
      { when: { last: "it-is-made" }, times: "always", say: "It is made now." },
    ],
    fallback: { say: "No more." },
  });
  using home = new AgentHome(installed, model.url);
  await using daemon = await TemporaryDaemon.start();
  for (const name of names) {
    await daemon.call("sessions.create", {
      command: home.interactive(),
      environment: home.environment(),
      workingDirectory: repository.path,
      columns: 100,
      rows: 30,
      worktree: { name, group: "try" },
      prompt: "Please make-it",
    });
  }
  const asked = new Set<string>();
  const states = async (): Promise<string[]> =>
    await Promise.all(
      names.map(async (session) => (await daemon.call("sessions.receipt", { session, key: "first" })).state),
    );
  await until(async () => {
    const { approvals } = await daemon.call("approvals.list", {});
    for (const { digest, id, kind, options, session } of approvals) {
      const key = `${session} ${id}`;
      if (asked.has(key)) continue;
      const option = options.find(({ effect }) => effect === "allow") ?? options[0];
      // Nothing is typed before the directory is trusted by a person.
      if (kind === "trust") {
        const { steps } = await daemon.call("sessions.receipt", { session, key: "first" });
        assert.deepEqual(
          steps.map(({ state }) => state),
          ["accepted"],
        );
      }
      await daemon.call("approvals.answer", { session, approval: id, option: option?.id ?? "", digest, by: "anna" });
      asked.add(key);
    }
    return (await states()).every((state) => state === "done" || state === "failed");
  }, "all three prompts are done");
  assert.deepEqual(await states(), ["done", "done", "done"]);
  for (const session of names) {
    const { files, worktree } = await daemon.call("tasks.changes", { session });
    assert.deepEqual(
      files.map(({ path }) => path),
      ["made.txt"],
    );
    assert.equal(readFileSync(join(worktree.path, "made.txt"), "utf8"), `${worktree.path}\n`);
  }
  assert.equal(repository.git("status", "--porcelain"), "");
  context.diagnostic(`claude ${installed.version}: ${asked.size} questions answered`);
});
