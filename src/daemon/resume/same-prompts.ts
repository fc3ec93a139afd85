/** Whether a conversation is that of a session, by what was said in it and when. */
import type { SaidConversation, SaidPrompt } from "./said-files.ts";

/** A prompt is on the screen, and in the agent's file, within this time, also on a busy machine. */
const APART_MS_MAX = 60_000;

/** White space is not compared: a screen wraps lines. */
const squashed = (text: string): string => text.replaceAll(/\s+/g, "");

/**
 * The conversations that can be that of the session, whose prompts the views have read: each of their prompts since the session began was
 * said in the session, at about that time and in that order, and there is at least one.
 */
export function conversationsOf(
  conversations: readonly SaidConversation[],
  { prompts, sinceMs }: { readonly prompts: readonly SaidPrompt[]; readonly sinceMs: number },
): SaidConversation[] {
  return conversations.filter((conversation) => {
    const said = conversation.prompts.filter(({ timeMs }) => timeMs >= sinceMs);
    return said.length > 0 && areSaid(said, prompts);
  });
}

function areSaid(said: readonly SaidPrompt[], prompts: readonly SaidPrompt[]): boolean {
  let next = 0;
  for (const { text, timeMs } of said) {
    const wanted = squashed(text);
    const found = prompts.findIndex(
      (prompt, at) =>
        at >= next && squashed(prompt.text) === wanted && Math.abs(prompt.timeMs - timeMs) <= APART_MS_MAX,
    );
    if (found < 0) return false;
    next = found + 1;
  }
  return true;
}
