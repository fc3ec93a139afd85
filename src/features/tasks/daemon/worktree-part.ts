import type { SessionRegistry } from "../../../daemon/sessions/session-registry.ts";
import type { SessionPart } from "../../../daemon/parts/session-part.ts";

/** A git worktree with a branch of its own. A session that starts in one that is known belongs to it. */
export const worktreePart = (registry: SessionRegistry): SessionPart => ({
  name: "worktree",
  begin: async ({ entry, input }) => {
    const { workingDirectory } = entry.stored;
    if (input.worktree === undefined) {
      const known = registry.all.find(({ stored }) => stored.worktree?.path === workingDirectory)?.stored.worktree;
      if (known !== undefined) entry.stored = { ...entry.stored, worktree: known };
      return;
    }
    const { createWorktree } = await import("./worktrees.ts");
    const where = { workingDirectory, session: entry.id, sessionDirectory: entry.directory };
    const worktree = await createWorktree(input.worktree, where);
    entry.stored = { ...entry.stored, worktree, workingDirectory: worktree.path };
  },
  end: async ({ directory, stored }) => {
    // It outlives a session that has run.
    if (stored.state !== "starting") return;
    const { undoWorktree } = await import("./worktrees.ts");
    await undoWorktree(directory);
  },
});
