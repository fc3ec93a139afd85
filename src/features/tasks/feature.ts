/** Tasks: agents in git worktrees of their own, with their changes. */
import type { Feature } from "../feature.ts";
import { worktreePart } from "./daemon/worktree-part.ts";

export const tasksFeature: Feature = {
  name: "tasks",
  sessionParts: ({ registry }) => [worktreePart(registry)],
  commands: { start: { task: async () => (await import("./cli/task.ts")).task } },
  open: async ({ registry }) => ({ handlers: (await import("./daemon/task-handlers.ts")).taskHandlers(registry) }),
};
