/** Which option of an open approval the typed keys choose, as far as the keys themselves show it. */
import type { Approval } from "../dialogs/approval.ts";
import { SUBMIT, WAY_OUT, type Dialog } from "../dialogs/dialog.ts";
import type { TypedItem } from "../typing/input-reader.ts";

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
/** Where the arrow keys move the mark. */
const across = { left: -1, right: 1 } as const;
const steps: Readonly<Record<Dialog["layout"], Partial<Record<"up" | "down" | "left" | "right", number>>>> = {
  list: { up: -1, down: 1 },
  choices: { up: -1, down: 1 },
  buttons: across,
  keys: across,
  line: {},
  unknown: {},
};

/** Only the first answer counts: what follows is meant for what comes next. */
export function readTypedAnswer(
  items: readonly TypedItem[],
  { approval, layout }: { readonly approval: Approval; readonly layout: Dialog["layout"] },
  before: AnswerState,
): AnswerReading {
  let state = before;
  for (const item of items) {
    const reading = readItem(item, approval, layout, state);
    if (reading.answer !== null) return reading;
    state = reading.state;
  }
  return { state, answer: null };
}

function readItem(item: TypedItem, approval: Approval, layout: Dialog["layout"], state: AnswerState): AnswerReading {
  const none: AnswerReading = { state, answer: null };
  const answered = (option: string | null): AnswerReading => ({ state: noKeys, answer: { option } });
  switch (item.type) {
    case "enter":
      if (layout === "choices") return answered(SUBMIT);
      return answered(layout === "line" ? lineOption(approval, state.text) : markedOption(approval, state.moved));
    case "escape":
    case "interrupt":
      return answered(escapeOption(approval));
    case "arrow": {
      const step = steps[layout][item.direction] ?? 0;
      return { state: { ...state, moved: state.moved + step }, answer: null };
    }
    case "mouse-release":
      // A click on a dialog answers it, but not visibly.
      return answered(null);
    case "text": {
      if (layout === "line")
        return { state: { ...state, text: (state.text + item.text).slice(-textCharsMax) }, answer: null };
      const key = [...item.text].find((character) => keyOption(approval, character) !== null);
      return key === undefined ? none : answered(keyOption(approval, key));
    }
    case "backspace":
      return layout === "line" ? { state: { ...state, text: state.text.slice(0, -1) }, answer: null } : none;
    case "kill-line":
      return layout === "line" ? { state: { ...state, text: "" }, answer: null } : none;
    case "paste-start":
    case "paste-end":
    case "kill-word":
    case "report":
    case "key":
      return none;
  }
}

/** A number or letter of the list, or a key that the label shows at its end: `Yes, proceed (y)`. */
function keyOption({ options }: Approval, key: string): string | null {
  const wanted = key.toLowerCase();
  const found =
    options.find(({ id }) => id.toLowerCase() === wanted) ??
    options.find(({ label }) => /\((\w)\)$/.exec(label)?.[1]?.toLowerCase() === wanted);
  return found?.id ?? null;
}

function markedOption({ options: all, selected }: Approval, moved: number): string | null {
  const options = all.filter(({ id }) => id !== WAY_OUT);
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
