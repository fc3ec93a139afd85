import { isShellProgram } from "../../core/agents/command-line.ts";
import { promptText } from "../../core/acting/box-text.ts";
import type { Prompts } from "../acting/prompts.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";

const FIRST_PROMPT_KEY = "first";

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
      // Whoever starts a shell with a prompt means the shell.
      isForShell: isShellProgram(entry.stored.command[0] ?? ""),
      isFirst: true,
    };
    await prompts.accept(entry, prompt);
  } catch (error) {
    // A program that has ended at once takes no prompt, which its exit shows.
    if (entry.live) throw error;
  }
}
