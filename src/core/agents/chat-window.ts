/** Where the conversation is on a screen: found from the end upwards, without the input box, status rows, spinners and dialogs. */
import type { Frame } from "../screen/frame.ts";
import type { ScreenLine } from "../screen/screen-lines.ts";
import type { WindowData, WindowStepData } from "./agent-file.ts";
import type { CompilePattern } from "./pattern.ts";
import { backgroundAt } from "./row-parts.ts";
import type { RowTest, RowTests } from "./row-test.ts";

/** Rows `from` to before `to`. */
export interface ChatWindow {
  /** The name of the rule that found where it ends. */
  readonly end: string;
  readonly from: number;
  readonly to: number;
  /** The agent shows that it works: its last message may grow. */
  readonly isBusy: boolean;
  /** Columns of the conversation, if something else is to the right of it. */
  readonly columns?: number;
  /** The first row shows the mark of a message that began further up: no message begins there. */
  readonly hasFloatingMark?: boolean;
}

/** Null if the conversation is not shown. */
export type FindWindow = (frame: Frame) => ChatWindow | null;

/** What steps look at. `to` is the row that they have reached. */
interface Rows {
  readonly lines: readonly ScreenLine[];
  readonly cursorRow: number;
  readonly columns: number;
}
interface Reached {
  readonly to: number;
  readonly isBusy: boolean;
}
type Step = (rows: Rows, to: number) => Reached | number | null;

export function compileWindow(
  data: WindowData,
  tests: RowTests,
  { compile, hasScrollbar }: { readonly compile: CompilePattern; readonly hasScrollbar: boolean },
): FindWindow {
  const ends = Object.entries(data.ends ?? { screen: { steps: [] } }).map(([name, { steps, isDialog = false }]) => ({
    name,
    steps: steps.map((step) => compileStep(step, tests)),
    isDialog,
  }));
  const above = (data.above ?? []).map((step) => compileStep(step, tests));
  const sticky = optional(data.sticky, tests);
  const floating = optional(data.floating, tests);
  const busy = busyTest(data.busy ?? {}, tests, compile);
  const { panelColumnsMin } = data;
  return (frame) => {
    const { lines, cursor } = frame;
    const panel = panelColumnsMin === undefined ? frame.columns : panelColumn(lines, frame.columns, panelColumnsMin);
    const rows: Rows = { lines, cursorRow: cursor.row, columns: hasScrollbar ? panel - 1 : panel };
    for (const { name, steps, isDialog } of ends) {
      const end = walk(steps, rows, lines.length);
      if (end === null) continue;
      const reached = isDialog ? end : walk(above, rows, end.to);
      if (reached === null) return null;
      return {
        end: name,
        from: sticky !== null && fits(rows, 0, sticky) ? 1 : 0,
        to: reached.to,
        isBusy: !isDialog && (end.isBusy || reached.isBusy || busy(frame, rows, end.to)),
        ...(panelColumnsMin !== undefined && { columns: panel }),
        ...(floating !== null && { hasFloatingMark: fits(rows, 0, floating) }),
      };
    }
    return null;
  };
}

const optional = (data: Parameters<RowTests["of"]>[0] | undefined, tests: RowTests): RowTest | null =>
  data === undefined ? null : tests.of(data);

function fits({ lines, columns }: Rows, row: number, test: RowTest): boolean {
  const line = lines[row];
  return line !== undefined && test(line, { lines, row, columns });
}

function someRow(rows: Rows, test: RowTest, { from, to }: { readonly from: number; readonly to: number }): boolean {
  for (let row = from; row < to; row += 1) if (fits(rows, row, test)) return true;
  return false;
}

function busyTest(
  { title, at, above, below }: NonNullable<WindowData["busy"]>,
  tests: RowTests,
  compile: CompilePattern,
): (frame: Frame, rows: Rows, end: number) => boolean {
  const titlePattern = title === undefined ? null : compile(title);
  const [atTest, aboveTest, belowTest] = [optional(at, tests), optional(above, tests), optional(below, tests)];
  return (frame, rows, end) =>
    titlePattern?.test(frame.title) === true ||
    (atTest !== null && fits(rows, end, atTest)) ||
    (aboveTest !== null && someRow(rows, aboveTest, { from: 0, to: end })) ||
    (belowTest !== null && someRow(rows, belowTest, { from: end, to: rows.lines.length }));
}

function walk(steps: readonly Step[], rows: Rows, start: number): Reached | null {
  let to = start;
  let isBusy = false;
  for (const step of steps) {
    const reached = step(rows, to);
    if (reached === null) return null;
    if (typeof reached === "number") to = reached;
    else {
      ({ to } = reached);
      isBusy ||= reached.isBusy;
    }
  }
  return { to, isBusy };
}

function compileStep(data: WindowStepData, tests: RowTests): Step {
  if ("to" in data) return toStep(data, tests);
  if ("over" in data) return overStep(data, tests);
  if ("overShade" in data) return overShade;
  if ("up" in data) return (_, to) => Math.max(0, to - data.up);
  if ("cursor" in data) return ({ cursorRow }, to) => (cursorRow < to ? cursorRow : null);
  if ("downTo" in data) {
    const test = tests.of(data.downTo);
    return (rows, to) => {
      let row = to + 1;
      while (row < rows.lines.length && !fits(rows, row, test)) row += 1;
      return row;
    };
  }
  return checkStep(data, tests);
}

function checkStep(
  data: Extract<
    WindowStepData,
    { here: unknown } | { under: unknown } | { notOver: unknown } | { noneAbove: unknown } | { noneBelow: unknown }
  >,
  tests: RowTests,
): Step {
  if ("here" in data) {
    const test = tests.of(data.here);
    return (rows, to) => (fits(rows, to, test) ? to : null);
  }
  if ("under" in data) {
    const test = tests.of(data.under);
    return (rows, to) => (fits(rows, to + 1, test) ? to : null);
  }
  if ("notOver" in data) {
    const test = tests.of(data.notOver);
    return (rows, to) => (fits(rows, to - 1, test) ? null : to);
  }
  if ("noneAbove" in data) {
    const test = tests.of(data.noneAbove);
    return (rows, to) => (someRow(rows, test, { from: 0, to }) ? null : to);
  }
  const test = tests.of(data.noneBelow);
  return (rows, to) => (someRow(rows, test, { from: to + 1, to: rows.lines.length }) ? null : to);
}

/** To the nearest row above that fits. */
function toStep(data: Extract<WindowStepData, { to: unknown }>, tests: RowTests): Step {
  const { rowsMax = Infinity } = data;
  const test = tests.of(data.to);
  const when = optional(data.when, tests);
  return (rows, to) => {
    if (when !== null && !fits(rows, to - 1, when)) return to;
    const last = Math.max(0, to - rowsMax);
    for (let row = to - 1; row >= last; row -= 1)
      if (fits(rows, row, test)) return { to: row, isBusy: data.optional === "busy" };
    return data.optional === undefined ? null : to;
  };
}

/** Over all rows above that fit; with `first` only up to the first of them that fits that, too. */
function overStep(data: Extract<WindowStepData, { over: unknown }>, tests: RowTests): Step {
  const test = tests.of(data.over);
  const first = optional(data.first, tests);
  return (rows, to) => {
    let top = to;
    while (top > 0 && fits(rows, top - 1, test)) top -= 1;
    if (first === null) return top;
    while (top < to && !fits(rows, top, first)) top += 1;
    return top;
  };
}

/** Over all rows above that have the background of this one, if it has one. */
function overShade({ lines }: Rows, to: number): number {
  const shadeOf = (row: number): number => {
    const line = lines[row];
    return line === undefined ? -1 : backgroundAt(line, 0);
  };
  const shade = shadeOf(to);
  if (shade === -1) return to;
  let top = to;
  while (top > 0 && shadeOf(top - 1) === shade) top -= 1;
  return top;
}

/** Where a panel begins that wide screens have on the right: in most rows another background goes from there to the edge. */
function panelColumn(lines: readonly ScreenLine[], columns: number, columnsMin: number): number {
  const starts = lines.map((line) => {
    const shade = backgroundAt(line, columns - 1);
    // A scrollbar in it is one column wide.
    const last = line.spans.findLastIndex(({ background, text }) => background !== shade && text.length > 1);
    return last === -1 ? columns : (line.spans[last + 1]?.column ?? columns);
  });
  const [start = columns] = starts.toSorted((one, other) => one - other).slice(Math.floor(lines.length / 2));
  const isPanel = columns - start >= columnsMin && starts.filter((one) => one === start).length > lines.length / 2;
  return isPanel ? start : columns;
}
