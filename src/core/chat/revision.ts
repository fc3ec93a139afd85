/**
 * What better sources say of a message.
 *
 * Law: the text of a message changes only to that of a better source, or grows; its `revision` counts those changes, and the text of the
 * screen stays readable. Identity, role and order never change.
 */
import { MESSAGE_SOURCES, type ChatMessage, type MessageSource } from "./message.ts";

/** What a source says of a message that another one found. */
export interface Saying {
  readonly source: MessageSource;
  readonly text: string;
  /** For a tool call: its name and input. */
  readonly tool?: { readonly name: string; readonly input: string | null } | null;
  /** This source does not know its end either. */
  readonly isIncomplete?: boolean;
}

/** A saying, with the number of sources that it is better than. */
export interface Revision extends Saying {
  readonly revision: number;
}

const isBetter = (one: MessageSource, other: MessageSource): boolean =>
  MESSAGE_SOURCES.indexOf(one) < MESSAGE_SOURCES.indexOf(other);

/** Returns what counts when `saying` is told of a message whose text is from `source`, or by `known`; null if it changes nothing. */
export function nextRevision(known: Revision | undefined, source: MessageSource, saying: Saying): Revision | null {
  const current = known?.source ?? source;
  if (isBetter(saying.source, current)) return { ...saying, revision: (known?.revision ?? 0) + 1 };
  // The same source may have more by now.
  if (known === undefined || saying.source !== current || saying.text === known.text) return null;
  return letters(saying.text).startsWith(letters(known.text)) ? { ...saying, revision: known.revision } : null;
}

/** The message as its best source has it. */
export function revised(message: ChatMessage, best: Revision | undefined): ChatMessage {
  if (best === undefined) return message;
  const { source, text, tool, revision, isIncomplete = false } = best;
  const told = { ...message, source, ...(revision > 0 && { revision }), isIncomplete };
  if (tool != null)
    return { ...told, isIncomplete: message.isIncomplete, tool: { ...tool, call: message.tool?.call ?? null } };
  const isSame = letters(text) === letters(message.text);
  const replaced = { source: message.source, text: message.text };
  return isSame || message.isPartial || message.isIncomplete ? { ...told, text } : { ...told, text, replaced };
}

/** What is left of a text by every renderer. */
export const letters = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]+/gu, "");

/** They say the same, as far as the shorter one goes, and that is much of it. */
export function isAlike(one: string, other: string): boolean {
  const [shorter = "", longer = ""] = [letters(one), letters(other)].toSorted(
    (left, right) => left.length - right.length,
  );
  return shorter !== "" && longer.startsWith(shorter) && shorter.length * 2 >= longer.length;
}
