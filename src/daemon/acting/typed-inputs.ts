/**
 * What the journal has of a prompt: a daemon that goes on with it learns here what the one before it has typed. The pty host writes the
 * key of an input before its bytes.
 */
import { isTyped } from "../../core/typing/typing.ts";
import { decodeMark, nextOffset } from "../../protocol/payloads.ts";
import type { JournalRecord } from "../../protocol/records.ts";
import type { Receipt } from "../../core/acting/receipt.ts";
import type { ActTarget } from "../../core/acting/target.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";

/** When Enter was pressed, and up to where the journal has it. */
export interface EnteredPrompt {
  readonly enteredUs: number;
  readonly enterEnd: number;
  /** Who took it, if that is known. */
  readonly target?: ActTarget;
}

export interface TypedInputs {
  readonly hasText: boolean;
  /** Enter, behind the text; the last one if the agent did not take the first. */
  readonly enter: EnteredPrompt | null;
  /** How often keys were pressed that take the text out again. */
  readonly clears: number;
  /** Somebody else has typed behind the text. */
  readonly hasOther: boolean;
}

export const nothingTyped: TypedInputs = { hasText: false, enter: null, clears: 0, hasOther: false };

/** Reads from the offset at which the prompt was accepted. */
export async function typedInputs(entry: SessionEntry, { key, steps }: Receipt): Promise<TypedInputs> {
  const from = (steps.find(({ state }) => state !== "scheduled") ?? steps[0])?.offset ?? 0;
  await entry.refresh();
  const { reader } = await entry.feed();
  let typed = nothingTyped;
  let announced: string | null = null;
  for (let at = Math.max(from, reader.start); ;) {
    const { records, next } = await reader.read(Math.min(at, reader.end));
    if (records.length === 0) return typed;
    for (const record of records) {
      if (record.type === "input")
        typed = withInput(typed, record, announced === null ? null : ownPart(announced, key));
      announced = record.type === "mark" ? keyOf(record) : null;
    }
    at = next;
  }
}

function withInput(typed: TypedInputs, record: JournalRecord, own: string | null): TypedInputs {
  if (own === "text") return { ...nothingTyped, hasText: true };
  if (own?.startsWith("text") === true) return typed;
  if (!typed.hasText) return typed;
  if (own?.startsWith("enter") === true)
    return { ...typed, enter: { enteredUs: record.timeUs, enterEnd: nextOffset(record) } };
  if (own !== null) return { ...typed, clears: typed.clears + 1 };
  return { ...typed, hasOther: typed.hasOther || isTyped(record.payload) };
}

/** The key that a mark announces for the next input. */
function keyOf({ payload }: JournalRecord): string | null {
  const mark = decodeMark(payload);
  return mark.type === "input-key" && "key" in mark && typeof mark.key === "string" ? mark.key : null;
}

/** Null for the input of another prompt, whose key may begin like this one's. */
function ownPart(announced: string, key: string): string | null {
  const part = announced.startsWith(`${key}:`) ? announced.slice(key.length + 1) : "";
  return /^(?:text(?:\.\d+)?|enter\d*|clear\d+)$/.test(part) ? part : null;
}
