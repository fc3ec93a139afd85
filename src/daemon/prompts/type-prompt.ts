/**
 * Types one prompt: the input box was empty before, holds the text and nothing else before Enter, and is empty again if that fails.
 *
 * Law: text, Enter and the keys that clear the box are each typed under a key that the pty host remembers, so that a daemon that goes
 * on with a prompt types nothing twice. Enter is pressed only while nobody else has typed.
 */
import { waits } from "../../core/waits.ts";
import { readinessTimes } from "../../core/readiness/times.ts";
import { LecternError } from "../../core/errors.ts";
import { encodePaste } from "../../core/input/paste.ts";
import { holdsHeadOf, holdsPrompt, type Draft } from "../../core/prompts/draft.ts";
import { countEchoes, isDecoration } from "../../core/prompts/echo.ts";
import type { Written } from "../../host/messages.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import { Until } from "./until.ts";
import type { EntryViews } from "../views/entry-views.ts";

/** An agent that has just answered may draw its box, and empty it, a moment later. */
const EMPTY_MS_MAX = 3000;
/** A program that draws all the time, such as a clock, never stands still. */
const SETTLE_MS_MAX = 1500;
/** After the keys that clear a line of the box. */
const CLEAR_MS_MAX = 1000;
/** Lines of a text that are cleared; of a longer one the receipt says that it stands there. */
const CLEAR_LINES_MAX = 24;
const EXCERPT_CHARS = 40;

interface Typing {
  readonly entry: SessionEntry;
  readonly views: EntryViews;
  readonly until: Until;
  /** A person at a keyboard took over. */
  readonly lost: AbortSignal;
  readonly key: string;
  readonly text: string;
  /** A daemon before this one may have typed some of it. */
  readonly isResumed: boolean;
  readonly onEchoed: () => Promise<void>;
}

/**
 * - `enterEnd`: the journal up to here has Enter
 * - `isEarly`: nothing was typed, because the program asks a question or is not at its prompt any more: it is typed when it is again
 */
type End =
  | { readonly enteredUs: number; readonly enterEnd: number }
  | { readonly reason: string }
  | { readonly isEarly: true };

const untouched: End = { reason: "a person at a keyboard took over before it was typed" };

/** Resolves when Enter was pressed, or with the reason why it was not. */
export async function typePrompt(typing: Typing): Promise<End> {
  const { entry, views, until, lost, key, text, isResumed } = typing;
  const isFree = (draft: Draft): boolean => isEmpty(draft) || (isResumed && holdsPrompt(draft, text));
  // The kernel reports that a program reads before the screen comes to rest, and then the question is reported.
  const before = await draftWhen(typing, (draft) => isFree(draft) || draft.place === "question", EMPTY_MS_MAX);
  if (lost.aborted) return untouched;
  if (before.place === "question") return { isEarly: true };
  if (!isFree(before)) return { reason: `nothing was typed: ${describe(before)}; ${clearHint(entry.stored.name)}` };
  const echoes = countEchoes(await screenOf(views), text);
  const forms = await formsOf(typing, before);
  if (lost.aborted) return untouched;
  if (!isAtPrompt(entry)) return isResumed ? await notAtPrompt(typing) : { isEarly: true };
  const typed = await typeText(typing, forms);
  const isAlready = typed.already === true;
  const isTaken = async (): Promise<boolean> => {
    const draft = await views.view.draft();
    if (draft.place === "box" && holdsPrompt(draft, text)) return true;
    // What a daemon before this one has typed may have been entered as well.
    if (draft.place === "box" && !(isAlready && draft.text === "")) return false;
    if (isDecoration(text)) return draft.place === "line" && draft.text.trim() === text.trim();
    return countEchoes(await screenOf(views), text) > (isAlready ? 0 : echoes);
  };
  const isSeen = await until.screen(isTaken, waits.arrivalMs, lost);
  if (lost.aborted) return await takenOver(typing);
  if (!isSeen) return await notTaken(typing);
  await typing.onEchoed();
  // A program that still draws a paste would take the key for a part of it.
  await until.still(readinessTimes.quiet.ms, lost, SETTLE_MS_MAX);
  if (lost.aborted) return await takenOver(typing);
  if (!(await isTaken())) return await notTaken(typing);
  // Before the key: the program may answer before the next line.
  const enteredUs = Date.now() * 1000;
  const { next } = await entry.input(Buffer.from("\r"), false, `${key}:enter`);
  return { enteredUs, enterEnd: next };
}

/** Throws `CONFLICT` where something was typed in the session and not entered. */
export async function assertNoDraft(entry: SessionEntry, views: EntryViews): Promise<void> {
  const { signal } = new AbortController();
  const draft = await draftWhen({ views, until: new Until(entry, views, signal), lost: signal }, isEmpty, EMPTY_MS_MAX);
  if (isEmpty(draft) || !entry.live) return;
  const { name } = entry.stored;
  const next = draft.place === "question" ? `see it with "lectern approvals ${name}"` : clearHint(name);
  throw new LecternError("CONFLICT", `Cannot prompt "${name}": ${describe(draft)}; ${next}`, {
    details: { characters: draft.text.length },
  });
}

/** Not `idle`: a command that is silent for long is idle, and what is typed then goes to the command. */
export const isAtPrompt = ({ status }: SessionEntry): boolean => status?.state === "waiting";

/** After Enter: the box still holds what was typed, or its beginning. */
export async function isLeftInBox({
  views,
  until,
  text,
}: Pick<Typing, "entry" | "views" | "until" | "text">): Promise<boolean> {
  const { signal } = new AbortController();
  const isLeft = (draft: Draft): boolean => draft.place === "box" && holdsHeadOf(draft, text);
  return isLeft(await draftWhen({ views, until, lost: signal }, (draft) => !isLeft(draft), EMPTY_MS_MAX));
}

export const clearHint = (name: string): string =>
  `enter it with "lectern key ${name} Enter" or clear it with "lectern key ${name} C-u", and see it with "lectern screen ${name}"`;

const isEmpty = ({ place, text }: Draft): boolean => place !== "hidden" && place !== "question" && text === "";

function describe({ place, text }: Draft): string {
  if (place === "question") return "it asks a question";
  if (place === "hidden") return "its input box is not on the screen";
  const where = place === "box" ? "its input box holds" : "behind its prompt there are";
  return `${where} ${characters(text)} that nobody has entered`;
}

const characters = (text: string): string => {
  const count = [...text].length;
  return count === 1 ? "1 character" : `${count} characters`;
};

const screenOf = async ({ view }: EntryViews): Promise<string> => (await view.text()).text;

/** The draft when it is as wanted, or as it is when the time is over. */
async function draftWhen(
  { views, until, lost }: Pick<Typing, "views" | "until" | "lost">,
  isWanted: (draft: Draft) => boolean,
  ms: number,
): Promise<Draft> {
  let draft = await views.view.draft();
  const look = async (): Promise<boolean> => isWanted((draft = await views.view.draft()));
  await until.screen(look, ms, lost);
  return draft;
}

/** As one paste where the program takes pastes: what it does at a single key, such as "?", is not done. */
async function formsOf({ views, until, lost, text }: Typing, { place }: Draft): Promise<readonly Uint8Array[]> {
  const takesPastes = async (): Promise<boolean> => (await views.view.snapshot()).modes.bracketedPaste;
  // An agent that starts may draw its box before it asks for pastes. One that never asks is typed to as before.
  const isPasted = await until.screen(takesPastes, place === "box" ? waits.answerMs : 0, lost);
  const plain = Buffer.from(text.replaceAll(/\r\n?/g, "\n"));
  return isPasted ? [encodePaste(plain), plain] : [plain, encodePaste(plain)];
}

async function typeText({ entry, key }: Typing, [form, other]: readonly Uint8Array[]): Promise<Written> {
  const typed = (bytes: Uint8Array = new Uint8Array()): Promise<Written> => entry.input(bytes, false, `${key}:text`);
  try {
    return await typed(form);
  } catch (error) {
    // The program had another mode when a daemon before this one typed the same text.
    if (!(error instanceof LecternError) || error.code !== "CONFLICT") throw error;
    return await typed(other);
  }
}

/** A daemon before this one may have typed some of it: nobody can tell whether that was taken. */
async function notAtPrompt({ entry, views }: Typing): Promise<End> {
  const left = leftOver(await views.view.draft());
  const state = entry.status?.state ?? "unknown";
  return { reason: `it was not typed further${left}: it is not at its prompt any more, but ${state}` };
}

async function takenOver({ views }: Typing): Promise<End> {
  const left = leftOver(await views.view.draft());
  return { reason: `a person at a keyboard took over before Enter was pressed${left}` };
}

async function notTaken(typing: Typing): Promise<End> {
  const { views, entry } = typing;
  const draft = await views.view.draft();
  const what =
    draft.place === "box"
      ? "the input box did not take the text as it is"
      : `the text was typed and did not appear in ${waits.arrivalMs / 1000} s`;
  const left = (await clearBox(typing)) ? "; it was taken out again" : leftOver(await views.view.draft());
  const hint = left.includes("holds") ? `; ${clearHint(entry.stored.name)}` : "";
  return { reason: `${what}; Enter was not pressed${left}${hint}` };
}

function leftOver({ place, text }: Draft): string {
  if (text === "") return "";
  const excerpt = text.length > EXCERPT_CHARS ? `${text.slice(0, EXCERPT_CHARS)}…` : text;
  return `; ${place === "box" ? "the input box" : "the line"} holds ${characters(text)} now: ${JSON.stringify(excerpt)}`;
}

/** True when the box was seen empty again. */
async function clearBox(typing: Typing): Promise<boolean> {
  const { entry, views, key, lost } = typing;
  let draft = await views.view.draft();
  for (let line = 0; line < CLEAR_LINES_MAX && draft.place === "box" && draft.text !== ""; line += 1) {
    if (draft.clear === null || lost.aborted || !entry.live) return false;
    await entry.input(Buffer.from(draft.clear), false, `${key}:clear${line}`);
    const { text } = draft;
    draft = await draftWhen(typing, (now) => now.text !== text, CLEAR_MS_MAX);
    // Between two lines some agents take the line feed with a key of its own.
    if (draft.text === text) return false;
  }
  return draft.place === "box" && draft.text === "";
}
