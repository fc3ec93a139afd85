/** Whether a conversation is that of a session, by what was said in it and when. */
import type { SaidConversation, SaidPrompt } from "./said-files.ts";

/** A prompt is on the screen, and in the agent's file, within this time, also on a busy machine. */
const APART_MS_MAX = 60_000;

const ALIKE_CHARS = 16;

/** White space is not compared: a screen wraps lines. */
const squashed = (text: string): string => text.replaceAll(/\s+/g, "");

/**
 * The conversations that the session can be in, whose prompts the views have read: each of their prompts since the session began was said in
 * the session, at about that time and in that order, there is at least one, and the last one is the last of both. Those with an earlier one
 * were left, for example with `/new`.
 */
export function conversationsOf(
  conversations: readonly SaidConversation[],
  { prompts, sinceMs }: { readonly prompts: readonly SaidPrompt[]; readonly sinceMs: number },
): SaidConversation[] {
  return conversations.filter((conversation) => {
    const said = conversation.prompts.filter(({ timeMs }) => timeMs >= sinceMs);
    return said.length > 0 && areSaid(said, prompts) && hasLastOf(conversation, prompts);
  });
}

/** The last prompt of the conversation is the last one of the session. One that was said before may be drawn again, later. */
export function hasLastOf(conversation: SaidConversation, prompts: readonly SaidPrompt[]): boolean {
  const [last, wanted] = [conversation.prompts.at(-1), prompts.at(-1)];
  if (last === undefined || wanted === undefined) return false;
  return squashed(last.text) === squashed(wanted.text) && last.timeMs - wanted.timeMs <= APART_MS_MAX;
}

/** The same, of a prompt that the screen shows in part or drawn otherwise: it begins alike, at about that time. */
export function mayHaveLastOf(conversation: SaidConversation, prompts: readonly SaidPrompt[]): boolean {
  if (hasLastOf(conversation, prompts)) return true;
  const [last, wanted] = [conversation.prompts.at(-1), prompts.at(-1)];
  if (last === undefined || wanted === undefined || Math.abs(last.timeMs - wanted.timeMs) > APART_MS_MAX) return false;
  return squashed(wanted.text).slice(0, ALIKE_CHARS) === squashed(last.text).slice(0, ALIKE_CHARS);
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
