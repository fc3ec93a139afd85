/** A list on the terminal from which one row is chosen: arrows, or typing a part of it. */
import { InputReader, type TypedItem } from "../../core/typing/input-reader.ts";
import type { CliContext } from "../context.ts";

export interface Choice {
  readonly value: string;
  /** One line, without control characters. */
  readonly label: string;
}

export interface ChooserState {
  readonly typed: string;
  /** Of the rows that match. */
  readonly index: number;
}

/** `chosen` is undefined if the user gave up. */
type Step = { readonly state: ChooserState } | { readonly chosen: string | undefined };

const ROWS_MAX = 10;
const TYPED_CHARS_MAX = 64;

const matching = (choices: readonly Choice[], typed: string): readonly Choice[] =>
  choices.filter(({ label }) => label.toLowerCase().includes(typed.toLowerCase()));

export function stepChooser({ typed, index }: ChooserState, item: TypedItem, choices: readonly Choice[]): Step {
  const rows = matching(choices, typed);
  const last = Math.max(0, rows.length - 1);
  switch (item.type) {
    case "escape":
    case "interrupt":
      return { chosen: undefined };
    case "enter": {
      const row = rows[index];
      return row === undefined ? { state: { typed, index } } : { chosen: row.value };
    }
    case "arrow":
      if (item.direction === "up") return { state: { typed, index: index === 0 ? last : index - 1 } };
      if (item.direction === "down") return { state: { typed, index: index >= last ? 0 : index + 1 } };
      return { state: { typed, index } };
    case "backspace":
      return { state: { typed: typed.slice(0, -1), index: 0 } };
    case "kill-line":
    case "kill-word":
      return { state: { typed: "", index: 0 } };
    case "text":
      return { state: { typed: (typed + item.text).slice(0, TYPED_CHARS_MAX), index: 0 } };
    case "key":
    case "mouse-release":
    case "paste-end":
    case "paste-start":
    case "report":
      return { state: { typed, index } };
  }
}

/** The lines of the list, cut to the width of the terminal. */
export function chooserLines(
  title: string,
  { typed, index }: ChooserState,
  choices: readonly Choice[],
  columns: number,
): string[] {
  const rows = matching(choices, typed);
  const start = Math.max(0, Math.min(index - ROWS_MAX + 1, rows.length - ROWS_MAX));
  const shown = rows
    .slice(start, start + ROWS_MAX)
    .map(({ label }, at) => `${start + at === index ? ">" : " "} ${label}`);
  const rest = rows.length > ROWS_MAX ? [`  ${rows.length} in all`] : rows.length === 0 ? ["  none matches"] : [];
  return [`${title} ${typed}`, ...shown, ...rest].map((line) => line.slice(0, Math.max(1, columns - 1)));
}

/** The value of the chosen row; undefined if the user gave up. The list is erased afterwards. */
export async function choose(
  title: string,
  choices: readonly Choice[],
  context: CliContext,
): Promise<string | undefined> {
  const { stdin, stdout, signal } = context;
  let state: ChooserState = { typed: "", index: 0 };
  const reader = new InputReader();
  let drawnRows = 0;
  const erase = (): string => (drawnRows === 0 ? "" : `\r${drawnRows > 1 ? `\u001b[${drawnRows - 1}A` : ""}\u001b[J`);
  const draw = (): void => {
    const lines = chooserLines(title, state, choices, stdout.columns);
    stdout.write(erase() + lines.join("\r\n"));
    drawnRows = lines.length;
  };
  const aborted = new Promise<undefined>((resolve) => {
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  stdin.setRawMode(true);
  // The session reads standard input after this, in the same way: a listener for data would leave the stream in another mode.
  const input: AsyncIterator<Buffer> = stdin.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      draw();
      const read = await Promise.race([input.next(), aborted]);
      if (read === undefined || read.done === true) return undefined;
      for (const item of reader.feed(read.value)) {
        const step = stepChooser(state, item, choices);
        // What was typed behind it in the same read is lost.
        if ("chosen" in step) return step.chosen;
        state = step.state;
      }
    }
  } finally {
    if (!signal.aborted) await input.return?.();
    stdin.setRawMode(false);
    stdout.write(erase());
  }
}
