/**
 * Types one prompt: the input box was empty before, holds the text and nothing else before Enter, and is empty again if that fails.
 *
 * Law: text, Enter and the keys that clear the box are each typed under a key that the pty host remembers, so that a daemon that goes
 * on with a prompt types nothing twice. Enter is pressed only while nobody else has typed, and for the program that the text was typed for.
 */
import { countEchoes, holdsHeadOf, holdsPrompt, isShown } from "../../core/acting/proof.ts";
import type { ActPlan } from "../../core/acting/plan.ts";
import type { Draft } from "../../core/acting/draft.ts";
import {
  clearHint,
  countCharacters,
  describeDraft,
  enterStep,
  inputKey,
  isDrawnEmpty,
  isEmpty,
  noInput,
  planPrompt,
} from "../../core/acting/prompt-plan.ts";
import type { Receipt, StepNote } from "../../core/acting/receipt.ts";
import { isTarget, type ActTarget } from "../../core/acting/target.ts";
import { LecternError } from "../../core/errors.ts";
import { PASTE_END } from "../../core/input/paste.ts";
import { readinessTimes } from "../../core/readiness/times.ts";
import { waits } from "../../core/waits.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { EntryViews } from "../views/entry-views.ts";
import { whyLeft, type ConversationRules } from "./bound-conversation.ts";
import { actIn, typeFor } from "./executor.ts";
import {
  hasEnded,
  isMeant,
  isReplaced,
  isSettingUp,
  promptedNow,
  targetNow,
  whyMissed,
  whyNoShell,
} from "./targets.ts";
import type { EnteredPrompt, TypedInputs } from "./typed-inputs.ts";
import { Until } from "./until.ts";

/** An agent that has just answered may draw its box, and empty it, a moment later. */
const EMPTY_MS_MAX = 3000;
/** A program that draws all the time, such as a clock, never stands still. */
const SETTLE_MS_MAX = 1500;
/** Lines of a text that are cleared; of a longer one the receipt says that it stands there. */
const CLEAR_LINES_MAX = 24;
const EXCERPT_CHARS = 40;

export interface PromptTyping {
  readonly entry: SessionEntry;
  readonly views: EntryViews;
  readonly until: Until;
  /** A person at a keyboard took over. */
  readonly lost: AbortSignal;
  readonly receipt: Receipt;
  /** By a daemon before this one. */
  readonly typed: TypedInputs;
  readonly rules: ConversationRules;
  readonly onStep: (state: "typed" | "echoed") => Promise<void>;
  /** The text appears on the screen within this time, or the prompt fails. */
  readonly echoMs: number;
}

type Left = Pick<PromptTyping, "entry" | "views" | "until" | "lost" | "receipt">;

type Failed = StepNote & { readonly reason: string };

/**
 * - `enterEnd`: Enter was pressed
 * - `reason`: it has failed
 * - `occupied`: nothing was typed, because somebody else has typed or is typing
 * - `isEarly`: nothing was typed, because the program asks a question or is not at its prompt any more: it is typed when it is again
 */
type End = EnteredPrompt | Failed | { readonly occupied: string } | { readonly isEarly: true };

interface Planned extends ActPlan {
  readonly target: ActTarget;
  /** The terminal keeps the text until Enter, so that nobody has read it yet. */
  readonly isKept: boolean;
  /** How often the text stood on the screen before. */
  readonly echoes: number;
}

const takenOver = { occupied: "a person at a keyboard took over" } as const;
const NOT_AS_IT_IS = "the input box did not take the text as it is";

/** Resolves when Enter was pressed, or with the reason why it was not. */
export async function typePrompt(typing: PromptTyping): Promise<End> {
  const { entry, receipt, typed, lost } = typing;
  if (typed.enter !== null) return typed.enter;
  if (typed.hasOther) return await failed(typing, "somebody else has typed behind it");
  if (typed.clears > 0) return await takeOut(typing, NOT_AS_IT_IS);
  const plan = typed.hasText ? await planEnter(typing) : await planWhole(typing);
  if (!("steps" in plan)) return plan;
  const { target, isKept } = plan;
  let enteredUs = 0;
  const end = await actIn(entry, plan, {
    isShown: async () => {
      const isProven = await untilShown(typing, plan);
      // Before the key: the program may answer before the next line.
      enteredUs = Date.now() * 1000;
      return isProven;
    },
    onTyped: async ({ proof }) => await (proof === "planned" ? typing.onStep("typed") : undefined),
  });
  if ("written" in end) return { enteredUs, enterEnd: end.written?.next ?? 0, target };
  if ("missed" in end) {
    const { missed, step } = end;
    const isText = step.proof === "planned";
    if (isText && !missed.isBegun) return { isEarly: true };
    // The keys that clear the box would be a part of the paste.
    if (step.isWhole === true && !missed.isOther) await typeFor(entry, target, { bytes: PASTE_END });
    const why = missed.isOther && receipt.targets !== undefined ? whyMissed(receipt.targets) : missed.why;
    return await takeOut(typing, why, { isUnread: isText || isKept, target });
  }
  if (lost.aborted) return await failed(typing, takenOver.occupied);
  const draft = await typing.views.view.draft();
  const who = target.agent ?? "the program that it was typed for";
  const isOther = !isTarget(target, targetNow(entry, draft));
  if (draft.place === "box" && !isOther) return await takeOut(typing, NOT_AS_IT_IS);
  const unseen = `the text was typed and did not appear in ${typing.echoMs / 1000} s`;
  const why = isOther ? `${who} is not in the foreground any more` : unseen;
  return await takeOut(typing, why, { isUnread: true, target });
}

/** The proof before Enter. */
async function untilShown(typing: PromptTyping, { target, echoes }: Planned): Promise<boolean> {
  const { entry, views, until, lost, receipt } = typing;
  let isOther: boolean = false;
  const isSeen = async (): Promise<boolean> => {
    const draft = await views.view.draft();
    isOther = !isTarget(target, targetNow(entry, draft));
    const screen = draft.place === "box" || isOther ? "" : await screenOf(views);
    return !isOther && isShown({ ...draft, typed: receipt.text, screen, echoes });
  };
  if (!(await until.screen(async () => (await isSeen()) || isOther, typing.echoMs, lost)) || isOther) return false;
  await typing.onStep("echoed");
  // A program that still draws a paste would take the key for a part of it.
  await until.still(readinessTimes.quiet.ms, lost, SETTLE_MS_MAX);
  return !lost.aborted && (await isSeen());
}

async function planWhole(typing: PromptTyping): Promise<Planned | End> {
  const { entry, views, lost, receipt } = typing;
  if (isSettingUp(entry)) return { isEarly: true };
  const isOpen = (draft: Draft): boolean =>
    isDrawnEmpty(draft) && (receipt.isForced === true || draft.showsInput) && whyNotMeant(typing, draft) === null;
  // Who has left the foreground is known to the kernel at once, and to the views a moment later.
  // The kernel reports that a program reads before the screen comes to rest, and then the question is reported.
  const isSettled = (draft: Draft): boolean => draft.place === "question" || isOpen(draft);
  const before = await draftWhen(typing, isSettled, EMPTY_MS_MAX);
  const first = targetNow(entry, before);
  // An agent that starts may draw its box before it asks for pastes. One that never asks is typed to as before.
  const asksForPastes = ({ place, takesPastes }: Draft): boolean => takesPastes || place !== "box";
  if (!asksForPastes(before)) await draftWhen(typing, asksForPastes, waits.answerMs);
  if (lost.aborted) return takenOver;
  const echoes = countEchoes(await screenOf(views), receipt.text);
  // Whether it takes pastes may have been waited for, and its box may be half drawn again.
  const draft = isSettled(before) ? await draftWhen(typing, isSettled, EMPTY_MS_MAX) : await views.view.draft();
  const target = promptedNow(entry, draft);
  const seen = { draft, target, name: entry.stored.name, isAtPrompt: isAtPrompt(entry) };
  const { targets = [] } = receipt;
  const isOther = target.agent !== null && target.members === null && targets.length > 0 && targets.every(isReplaced);
  const whyOther = isOther ? whyMissed(targets) : whyNotMeant(typing, draft, target);
  const plan = planPrompt(receipt, { ...seen, whyNotMeant: whyOther ?? whyLeft(entry, receipt, typing.rules) });
  if (!("steps" in plan)) return plan;
  return isTarget(first, target) ? { ...plan, target, echoes, isKept: draft.isKept } : { isEarly: true };
}

/**
 * Null if it is for who reads now. Without `--shell` it is for nobody who is or may be a shell; `promptedNow`, which reads all of /proc, is asked
 * once for each plan.
 */
function whyNotMeant(
  { entry, receipt: { targets = [], isForShell } }: PromptTyping,
  draft: Draft,
  now = targetNow(entry, draft),
): string | null {
  const isOther = !isMeant(now, draft.reader, targets);
  if (isOther && targets.length > 0) return whyMissed(targets);
  return isOther || (now.kind === "shell" && isForShell !== true) ? whyNoShell(entry, now) : null;
}

/** What a daemon before this one typed: it stands there, or nobody can tell what became of it. */
async function planEnter(typing: PromptTyping): Promise<Planned | End> {
  const { entry, views, receipt } = typing;
  const { targets = [], key } = receipt;
  await typing.onStep("typed");
  if (!isAtPrompt(entry))
    return await failed(typing, `it is not at its prompt any more, but ${entry.status?.state ?? "unknown"}`);
  const draft = await views.view.draft();
  const target = promptedNow(entry, draft);
  if (!isMeant(target, draft.reader, targets)) return await takeOut(typing, whyMissed(targets), { isUnread: true });
  return { target, steps: [enterStep(key)], echoes: 0, isKept: draft.isKept };
}

interface Free {
  /** "Cannot ... it". */
  readonly doing?: string;
  /** Somebody else's text may be there. */
  readonly mayHoldText?: boolean;
  /** A program that takes each key may read it, though nothing shows that it reads text: a key could answer a question. */
  readonly mayHideInput?: boolean;
  /** Read from a screen that shows all output. */
  readonly draft?: Draft;
}

/** Throws `CONFLICT` where something was typed in the session and not entered, or where no input line is shown. */
export async function assertFree(
  entry: SessionEntry,
  views: EntryViews,
  { doing = "prompt", mayHoldText = false, mayHideInput = true, draft: before }: Free = {},
): Promise<void> {
  const isOpen = ({ place, showsInput }: Draft): boolean =>
    mayHideInput || showsInput || place === "question" || !isAtPrompt(entry);
  const isWanted = (now: Draft): boolean => (mayHoldText || isDrawnEmpty(now)) && isOpen(now);
  if (before !== undefined && isWanted(before)) return;
  const until = new Until(entry, views, new AbortController().signal);
  const draft = await draftWhen({ views, until }, isWanted, EMPTY_MS_MAX);
  if (!entry.live) return;
  const { name } = entry.stored;
  const refuse = (why: string): LecternError =>
    new LecternError("CONFLICT", `Cannot ${doing} "${name}": ${why}`, { details: { characters: draft.text.length } });
  const next = draft.place === "question" ? `see it with "lectern approvals ${name}"` : clearHint(name);
  if (!mayHoldText && !isEmpty(draft)) throw refuse(`${describeDraft(draft)}; ${next}`);
  if (!isOpen(draft)) throw refuse(noInput(name));
}

/** Not `idle`: a command that is silent for long is idle, and what is typed then goes to the command. */
export const isAtPrompt = ({ status }: SessionEntry): boolean => status?.state === "waiting";

/**
 * After Enter: whether the box still holds what was typed, or its beginning.
 * - `late`: it did, and the program has taken it since
 */
export async function leftInBox({
  views,
  until,
  receipt: { text },
}: Pick<Left, "views" | "until" | "receipt">): Promise<"empty" | "late" | "left"> {
  const isLeft = (draft: Draft): boolean => draft.place === "box" && holdsHeadOf(draft, text);
  if (!isLeft(await views.view.draft())) return "empty";
  // A program that has no processor takes Enter late.
  return isLeft(await draftWhen({ views, until }, (now) => !isLeft(now), waits.arrivalMs)) ? "left" : "late";
}

/**
 * Enter once more for a text that stands in the box as it was typed: an agent that had no processor read Enter together with the paste, and
 * took it for a part of that (Gemini CLI for 40 ms). Null if it was not pressed. `target`: who read the text, if that is known.
 */
export async function enterAgain(
  { entry, views, lost, receipt: { key, text } }: Left,
  { enters, target }: { readonly enters: number; readonly target: ActTarget | undefined },
): Promise<EnteredPrompt | null> {
  const draft = await views.view.draft();
  const now = targetNow(entry, draft);
  const isSame = isAtPrompt(entry) && (target === undefined || isTarget(target, now)) && !lost.aborted;
  const enteredUs = Date.now() * 1000;
  const plan = { target: now, steps: [enterStep(key, enters)] };
  const end = await actIn(entry, plan, {
    isShown: async () => isSame && draft.place === "box" && holdsPrompt(draft, text),
  });
  return "written" in end ? { enteredUs, enterEnd: end.written?.next ?? 0 } : null;
}

const screenOf = async ({ view }: EntryViews): Promise<string> => (await view.text()).text;

/** The draft when it is as wanted, or as it is when the time is over. */
async function draftWhen(
  { views, until, lost }: Pick<PromptTyping, "views" | "until"> & Partial<Pick<PromptTyping, "lost">>,
  isWanted: (draft: Draft) => boolean,
  ms: number,
): Promise<Draft> {
  const seen: { draft?: Draft } = {};
  await until.screen(async () => isWanted((seen.draft = await views.view.draft())), ms, lost);
  return seen.draft ?? (await views.view.draft());
}

interface TypedText {
  /** The program may not have read it: who reads next gets it. */
  readonly isUnread: boolean;
  /** Whom it was typed for. */
  readonly target: ActTarget;
  /** Enter was pressed, and the agent did not take it, or put it back. */
  readonly isEntered: boolean;
}

async function failed(
  { entry, views, receipt: { text } }: Left,
  why: string,
  { isUnread = false, isEntered = false }: Partial<TypedText> = {},
): Promise<Failed> {
  const draft = await views.view.draft();
  const hint = clearHint(entry.stored.name);
  const what = isEntered ? why : `${why}; Enter was not pressed`;
  if (isUnread && draft.text === "") {
    const { program } = targetNow(entry, draft);
    const left = `typed, and what was not read of it is left in the line of ${program ?? "the program in the foreground"}`;
    return { reason: `${what}; ${left}; ${hint}`, left: text };
  }
  if (draft.text === "") return { reason: what };
  const excerpt = draft.text.length > EXCERPT_CHARS ? `${draft.text.slice(0, EXCERPT_CHARS)}…` : draft.text;
  const left = `${draft.place === "box" ? "the input box" : "the line"} holds ${countCharacters(draft.text)} now: ${JSON.stringify(excerpt)}`;
  return { reason: `${what}; ${left}; ${hint}`, left: draft.text };
}

/** Failed, and the box is empty again if its keys for that are known: nothing is left for the next prompt. */
export async function takeOut(
  typing: Left & Partial<Pick<PromptTyping, "typed">>,
  why: string,
  how: Partial<TypedText> = {},
): Promise<Failed> {
  // Who reads next draws a moment later what was not read.
  if (how.isUnread === true) await draftWhen(typing, ({ text }) => text !== "", waits.checkMs);
  const end = await clearText(typing, typing.typed?.clears ?? 0, how);
  if (end === "kept") return await failed(typing, why, how);
  const what = end === "cleared" ? "it was taken out again" : "keys that clear the input box were typed behind it";
  return { reason: `${why}${how.isEntered === true ? "" : "; Enter was not pressed"}; ${what}` };
}

/**
 * Everything in the box is ours; a line is cleared if it holds the text.
 * - `cleared`: it was seen empty again
 * - `behind`: nothing of the text was seen: the program may read it late, and the keys that clear it then
 * - `kept`: something stands there, or nobody can tell
 */
async function clearText(
  typing: Left,
  clears: number,
  { target, isEntered = false }: Partial<TypedText>,
): Promise<"cleared" | "behind" | "kept"> {
  const { entry, views, lost, receipt } = typing;
  const { key, text } = receipt;
  let draft = await views.view.draft();
  const press = async (line: number, times: number): Promise<boolean> => {
    const now = targetNow(entry, draft);
    // What has ended leaves its box on the screen.
    const isAway = (of: ActTarget): boolean => (of.group !== null && now.group !== of.group) || hasEnded(of);
    if ((draft.place === "box" && target !== undefined && isAway(target)) || !isMeant(now, draft.reader)) return false;
    const bytes = Buffer.from((draft.clear ?? "").repeat(times));
    const step = { bytes, proof: "planned", key: inputKey(key, `clear${clears + line}`) } as const;
    // One that has become another program may take the keys for characters.
    const reader = target !== undefined && now.pid === target.pid ? target : now;
    return "written" in (await actIn(entry, { target: reader, steps: [step] }));
  };
  const canPress = (): boolean => draft.clear !== null && !lost.aborted && entry.live;
  if (draft.place === "box" && draft.text === "" && canPress() && clears === 0 && !isEntered) {
    // One for a line, one for the line feed in front of it.
    return (await press(0, Math.min(CLEAR_LINES_MAX, 2 * text.split("\n").length))) ? "behind" : "kept";
  }
  const isOurs = (): boolean => draft.place === "box" || isShown({ ...draft, typed: text, screen: "", echoes: 0 });
  for (let line = 0; draft.text !== ""; line += 1) {
    if (line === CLEAR_LINES_MAX || !isOurs() || !canPress()) return "kept";
    const before = draft.text;
    if (!(await press(line, 1))) return "kept";
    draft = await draftWhen(typing, (now) => now.text !== before, waits.answerMs);
    // Between two lines some agents take the line feed with a key of its own.
    if (draft.text === before) return "kept";
    if (draft.text === "") return "cleared";
  }
  // Nothing was pressed now.
  return draft.place === "box" && (clears > 0 || isEntered) ? "cleared" : "kept";
}

/** Whoever hears that a prompt was submitted may type: the lease is free by then. */
export async function withLease<Result>(
  { lease }: SessionEntry,
  key: string,
  type: (lost: AbortSignal) => Promise<Result>,
): Promise<Result> {
  using held = lease.acquire(`prompt "${key}"`, Date.now());
  return await type(held.signal);
}
