/** What a session starts with beside its program: a worktree of its own, and a first prompt. */
import { promptText } from "../../core/prompts/prompt-text.ts";
import type { ParsedInputOf } from "../../protocol/operations.ts";
import type { Prompts } from "../prompts/prompts.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { SessionRegistry } from "../sessions/session-registry.ts";

/** The key of the receipt of a first prompt. */
const FIRST_PROMPT_KEY = "first";

/** Makes the worktree that is asked for; a session that starts in one that is known belongs to it. */
export async function enterWorktree(
  { registry }: { readonly registry: SessionRegistry },
  entry: SessionEntry,
  wanted: ParsedInputOf<"sessions.create">["worktree"],
): Promise<void> {
  const { workingDirectory } = entry.stored;
  if (wanted === undefined) {
    const known = [...registry.all].find(({ stored }) => stored.worktree?.path === workingDirectory)?.stored.worktree;
    if (known !== undefined) entry.stored = { ...entry.stored, worktree: known };
    return;
  }
  const { createWorktree } = await import("../tasks/worktrees.ts");
  const worktree = await createWorktree(wanted, {
    workingDirectory,
    sessionDirectory: entry.directory,
  });
  entry.stored = { ...entry.stored, worktree, workingDirectory: worktree.path };
}

/** Its session could not be started. */
export async function leaveWorktree({ stored: { worktree } }: SessionEntry): Promise<void> {
  if (worktree === undefined) return;
  const { undoWorktree } = await import("../tasks/worktrees.ts");
  await undoWorktree(worktree);
}

/** It is typed when the program is at its prompt: what it asks before that is for a person. */
export async function acceptFirstPrompt(
  { prompts }: { readonly prompts: Prompts },
  entry: SessionEntry,
  text: string,
): Promise<void> {
  try {
    const prompt = {
      key: FIRST_PROMPT_KEY,
      text: promptText(text),
      whenEmpty: true,
      isLiteral: false,
      isForced: false,
      isFirst: true,
    };
    await prompts.accept(entry, prompt);
  } catch (error) {
    // A program that has ended at once takes no prompt, which its exit shows.
    if (entry.live) throw error;
  }
}
