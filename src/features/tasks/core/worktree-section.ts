/** What is done in a new worktree. */
import { text } from "../../../core/config/config-key.ts";

export const worktree = {
  summary: "New worktrees of `lectern run --worktree` and of the page, see [tasks](tasks.md#setting-up-a-worktree).",
  keys: {
    setup: text({
      type: "shell script",
      default: undefined,
      summary:
        "Run by `sh` at the top of each new worktree, in the terminal of the session and before its program, such as `npm ci`. If it fails, the program is not started.",
    }),
  },
};
