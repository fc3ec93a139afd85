/**
 * What is done with a prompt at what the screen shows: the bytes to type, or why there are none. The daemon looks, plans, types for the reader
 * that it has looked at, and looks again; nothing is typed without a plan.
 */
import { isShellProgram } from "../agents/command-line.ts";
import { encodePaste } from "../input/paste.ts";
import { boxText, whyNoPrompt } from "./box-text.ts";
import type { Draft } from "./draft.ts";
import type { Receipt } from "./receipt.ts";
import type { ActPlan, ActStep } from "./plan.ts";
import type { ActTarget } from "./target.ts";

interface Seen {
  readonly target: ActTarget;
  readonly draft: Draft;
  /** Of the session, for what a person may do next. */
  readonly name: string;
  /** Why the program in the foreground is not the one that the prompt is for; null if it is. */
  readonly whyNotMeant: string | null;
  /** By its status. */
  readonly isAtPrompt: boolean;
}

/** Inputs of one prompt, by what they are for. */
export type PromptInput = "text" | `text.${number}` | "enter" | `enter${number}` | `clear${number}`;

export const inputKey = (key: string, input: PromptInput): string => `${key}:${input}`;

/** `count`: how often Enter was pressed for this prompt before. */
export const enterStep = (key: string, count = 0): ActStep => ({
  bytes: Uint8Array.of(0x0d),
  proof: "shown",
  key: inputKey(key, count === 0 ? "enter" : `enter${count + 1}`),
});

/**
 * - `steps`: the text, and Enter
 * - `occupied`: somebody else's text stands there
 * - `isEarly`: the program asks a question, or has left its prompt: the prompt waits
 * - `reason`: it fails, and nothing was typed
 */
export type PromptPlan =
  | ActPlan
  | { readonly occupied: string }
  | { readonly isEarly: true }
  | { readonly reason: string };

/** Also those of Unicode, at which Node's line editor enters what it has. */
const lineEnd = /\r\n|[\r\n\u2028\u2029]/;

export function planPrompt(wanted: Pick<Receipt, "key" | "text" | "isLiteral" | "isForced">, seen: Seen): PromptPlan {
  const { key, text, isLiteral = false, isForced = false } = wanted;
  const { draft, name, target, whyNotMeant, isAtPrompt } = seen;
  const { place, rules, takesPastes } = draft;
  if (place === "question") return { isEarly: true };
  // A program that works may be at its prompt when it is looked at next.
  const refused = (why: string): PromptPlan =>
    isAtPrompt ? { reason: `nothing was typed: ${why}` } : { isEarly: true };
  if (whyNotMeant !== null) return refused(whyNotMeant);
  if (isInCommand(draft, target)) return refused(inCommand(name));
  if (!isEmpty(draft)) return { occupied: `${describeDraft(draft)}; ${clearHint(name)}` };
  if (!isForced && !draft.showsInput) return refused(noInput(name));
  const agent = target.agent ?? "the program";
  const why = rules === null ? null : whyNoPrompt(text, { agent, isLiteral, rules });
  const isLines = place !== "box" && !takesPastes && lineEnd.test(text);
  const whyNot = why ?? (text.trim() === "" ? "blanks alone cannot be seen where they are typed" : null);
  if (whyNot !== null || isLines) return { reason: `nothing was typed: ${whyNot ?? noLines(text)}` };
  if (!isAtPrompt) return { isEarly: true };
  const plain = new TextEncoder().encode(place === "box" ? boxText(text, { isLiteral }) : text);
  const bytes = takesPastes ? encodePaste(plain) : plain;
  const isWhole = takesPastes && place === "box";
  return { target, steps: [{ bytes, isWhole, proof: "planned", key: inputKey(key, "text") }, enterStep(key)] };
}

function noLines(text: string): string {
  const { length } = text.split(lineEnd);
  return `the program takes no pastes, so each of the ${length} lines would be entered by itself; prompt them one at a time`;
}

export function noInput(name: string): string {
  return `it does not show an input line, and a key of the text could answer a question; see it with "lectern screen ${name}", press a key with "lectern key ${name} KEY", or type the text all the same with --force`;
}

/** A shell reads, and not behind its prompt. A job in the background may have printed something there. */
const isInCommand = ({ place, isAtPrompt, kind }: Draft, { kind: reads, program }: ActTarget): boolean =>
  place === "line" && !isAtPrompt && kind !== "shell" && reads === "shell" && isShellProgram(program ?? "");

const inCommand = (name: string): string =>
  `the shell does not read a new command here, but the rest of one, or input for one; see it with "lectern screen ${name}", type with "lectern send ${name} --enter TEXT", or give it up with "lectern key ${name} C-c"`;

export const clearHint = (name: string): string =>
  `enter it with "lectern key ${name} Enter" or clear it with "lectern key ${name} C-u", and see it with "lectern screen ${name}"`;

export const isEmpty = ({ place, text }: Draft): boolean => place !== "hidden" && place !== "question" && text === "";

/** What somebody has typed just now may not be drawn yet. */
export const isDrawnEmpty = (draft: Draft): boolean => isEmpty(draft) && !draft.isUndrawn;

/** Why nothing may be typed over it. */
export function describeDraft({ place, text }: Draft): string {
  if (place === "question") return "it asks a question";
  if (place === "hidden") return "its input box is not on the screen";
  const where = place === "box" ? "its input box holds" : "behind its prompt there are";
  return `${where} ${countCharacters(text)} that nobody has entered`;
}

export const countCharacters = (text: string): string => {
  const count = [...text].length;
  return count === 1 ? "1 character" : `${count} characters`;
};
