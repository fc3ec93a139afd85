/** What keys answer of an open approval: which option they choose, as far as the keys themselves say. */
import type { Approval } from "../dialogs/approval.ts";
import type { Dialog } from "../dialogs/dialog.ts";

interface TypedAnswer {
  /** Id of the option; null where the answer was given, but not which. */
  readonly option: string | null;
}

/** Keys since the dialog was last seen. */
export interface AnswerState {
  /** Steps that the mark was moved since, downwards or to the right. */
  readonly moved: number;
  /** Text of a line that is being typed. */
  readonly text: string;
}

export interface AnswerReading {
  readonly state: AnswerState;
  readonly answer: TypedAnswer | null;
}

export const noKeys: AnswerState = { moved: 0, text: "" };

const textCharsMax = 200;
const sequences = /\u001B(?:\[[0-?]*[ -/]*[@-~]|O[A-D]|[\]P_][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[^])|[^]/gu;

/** Only the first answer counts: what follows is meant for what comes next. */
export function readAnswer(
  bytes: Uint8Array,
  approval: Approval,
  layout: Dialog["layout"],
  before: AnswerState,
): AnswerReading {
  let state = before;
  for (const [key] of new TextDecoder().decode(bytes).matchAll(sequences)) {
    const reading = readKey(key, approval, layout, state);
    if (reading.answer !== null) return reading;
    state = reading.state;
  }
  return { state, answer: null };
}

function readKey(key: string, approval: Approval, layout: Dialog["layout"], state: AnswerState): AnswerReading {
  const none: AnswerReading = { state, answer: null };
  const answered = (option: string | null): AnswerReading => ({ state: noKeys, answer: { option } });
  if (key === "\r" || key === "\n")
    return answered(layout === "line" ? lineOption(approval, state.text) : markedOption(approval, state.moved));
  if (key === "\u001B" || key === "\u0003") return answered(escapeOption(approval));
  const step = /^\u001B[[O]([ABCD])$/.exec(key)?.[1];
  if (step !== undefined)
    return { state: { ...state, moved: state.moved + ("BC".includes(step) ? 1 : -1) }, answer: null };
  // The release of a mouse button on a dialog answers it, but not visibly.
  if (/^\u001B\[<0;\d+;\d+m$/.test(key)) return answered(null);
  if (key.length > 2 || key < " ") return none;
  if (layout === "line") {
    const text = key === "\u007F" ? state.text.slice(0, -1) : (state.text + key).slice(-textCharsMax);
    return { state: { ...state, text }, answer: null };
  }
  const option = keyOption(approval, key);
  return option === null ? none : answered(option);
}

/** A number or letter of the list, or a key that the label shows at its end: `Yes, proceed (y)`. */
function keyOption({ options }: Approval, key: string): string | null {
  const wanted = key.toLowerCase();
  const found =
    options.find(({ id }) => id.toLowerCase() === wanted) ??
    options.find(({ label }) => /\((\w)\)$/.exec(label)?.[1]?.toLowerCase() === wanted);
  return found?.id ?? null;
}

function markedOption({ options, selected }: Approval, moved: number): string | null {
  const at = options.findIndex(({ id }) => id === selected);
  if (at === -1) return null;
  const count = options.length;
  return options[(((at + moved) % count) + count) % count]?.id ?? null;
}

/** Escape refuses: by the option that names it, else by the last that refuses. */
function escapeOption({ options }: Approval): string | null {
  const named = options.find(({ label }) => /\(esc\)$/i.test(label));
  return (named ?? options.findLast(({ effect }) => effect === "deny"))?.id ?? null;
}

function lineOption({ options, selected }: Approval, text: string): string | null {
  const word = text.trim().toLowerCase();
  if (word === "") return selected;
  return (
    options.find(({ id, label }) => id.toLowerCase() === word || label.toLowerCase() === word)?.id ??
    options.find(({ label }) => label.toLowerCase().startsWith(word))?.id ??
    null
  );
}
