/** Tasks: agents in git worktrees of their own, with their changes. */
import type { Feature } from "../feature.ts";
import type { PartOwners } from "../../daemon/parts/part-list.ts";
import type { SessionPart } from "../../daemon/parts/session-part.ts";

export const tasksFeature: Feature = {
  name: "tasks",
  sessionParts: (owners) => [worktreePart(owners)],
  commands: { start: { task: async () => (await import("./cli/task.ts")).task } },
  open: async ({ registry }) => ({ handlers: (await import("./daemon/task-handlers.ts")).taskHandlers(registry) }),
};

/** A git worktree with a branch of its own. A session that starts in one that is known belongs to it. */
const worktreePart = ({ config, registry }: Pick<PartOwners, "config" | "registry">): SessionPart => ({
  name: "worktree",
  begin: async ({ entry, input }, launch) => {
    const { workingDirectory } = entry.stored;
    if (input.worktree === undefined) {
      const known = registry.all.find(({ stored }) => stored.worktree?.path === workingDirectory)?.stored.worktree;
      if (known !== undefined) entry.stored = { ...entry.stored, worktree: known };
      return;
    }
    const { createWorktree } = await import("./daemon/worktrees.ts");
    const where = { workingDirectory, session: entry.id, sessionDirectory: entry.directory };
    const worktree = await createWorktree(input.worktree, where);
    entry.stored = { ...entry.stored, worktree, workingDirectory: worktree.path };
    const { setup: script } = config.get("worktree");
    if (script === undefined) return;
    const { path, repository } = worktree;
    const { setupLauncher } = await import("./daemon/worktree-setup.ts");
    const { command, mode } = input;
    const words = setupLauncher({ script, repository, worktree: path, command, isPiped: mode === "acp" });
    launch.launchers.push(() => words);
  },
  end: async ({ directory, stored }) => {
    // It outlives a session that has run.
    if (stored.state !== "starting") return;
    const { undoWorktree } = await import("./daemon/worktrees.ts");
    await undoWorktree(directory);
  },
});
