/** Conditions on one row: its text and the styles in it, compiled from an agent file. */
import type { Colour, ScreenLine, StyledSpan } from "../screen/screen-lines.ts";
import type { ColourData, RowFacts, RowTestData, SpanFacts, SpanTestData } from "./agent-file.ts";
import { isAccent, isColourless, isGrey, isOrange, isPlain, isRed } from "./colours.ts";
import { LecternError } from "../errors.ts";
import { didYouMean } from "../text/nearest.ts";
import type { CompilePattern } from "./pattern.ts";
import { backgroundAt, firstSpan, isRule, spanAt, withoutLineNumber } from "./row-parts.ts";

/** The rows in which a row stands; `columns` is where the conversation ends at the right. */
export interface RowPlace {
  readonly lines: readonly ScreenLine[];
  readonly row: number;
  readonly columns: number;
  /** It is the first row with a text of a block that has a background. */
  readonly opensBlock?: boolean;
}

/** True for a row that fits. A row that is not there fits nothing. */
export type RowTest = (line: ScreenLine, place: RowPlace) => boolean;

type SpanTest = (span: StyledSpan, line: ScreenLine) => boolean;
type ColourTest = (colour: Colour, line: ScreenLine) => boolean;

/** Names of marks that every agent has: a row without text, and a line from edge to edge. */
const commonMarks = ["blank", "rule"] as const;

export class RowTests {
  readonly #compile: CompilePattern;
  readonly #data: ReadonlyMap<string, RowTestData>;
  /** Compiled marks. Null while one is being compiled: a mark that needs itself is an error. */
  readonly #marks = new Map<string, RowTest | null>([
    ["blank", (line, place) => isBlank(line, place.columns)],
    ["rule", isRule],
  ]);

  constructor(marks: Readonly<Record<string, RowTestData>>, compile: CompilePattern) {
    this.#compile = compile;
    this.#data = new Map(Object.entries(marks));
    for (const name of this.#data.keys()) this.#mark(name);
  }

  /** Throws for a mark that is not defined. */
  of(data: RowTestData): RowTest {
    if (typeof data === "string") return this.#mark(data);
    return isList(data) ? anyOf(data.map((each) => this.of(each))) : this.#facts(data);
  }

  #mark(name: string): RowTest {
    const known = this.#marks.get(name);
    if (known != null) return known;
    const data = this.#data.get(name);
    if (known === null)
      throw new LecternError("INVALID_INPUT", `The mark "${name}" uses itself`, { details: { value: name } });
    if (data === undefined) {
      const names = [...commonMarks, ...this.#data.keys()];
      const hint = didYouMean(name, names) ?? `the marks are ${names.join(", ")}`;
      throw new LecternError("INVALID_INPUT", `Unknown mark "${name}": ${hint}`, { details: { value: name } });
    }
    this.#marks.set(name, null);
    const test = this.of(data);
    this.#marks.set(name, test);
    return test;
  }

  #facts(facts: RowFacts): RowTest {
    const { is, text, not, next, freeColumnsMax, opensBlock, spans } = facts;
    const tests: RowTest[] = [];
    // The cheapest and most particular first.
    if (text !== undefined) tests.push(textTest(this.#compile(text)));
    if (not !== undefined) tests.push(negated(textTest(this.#compile(not))));
    if (is !== undefined) tests.push(this.of(is));
    if (facts.shade !== undefined) tests.push(shadeTests[facts.shade]);
    if (opensBlock !== undefined) tests.push((_, place) => (place.opensBlock ?? false) === opensBlock);
    if (spans !== undefined) tests.push((line) => inked(line).length === spans);
    if (freeColumnsMax !== undefined) tests.push((line, { columns }) => line.text.length >= columns - freeColumnsMax);
    tests.push(...styleTests(facts));
    if (next !== undefined) {
      const test = this.of(next);
      tests.push((_, { lines, row, columns }) => {
        const below = lines[row + 1];
        return below !== undefined && test(below, { lines, row: row + 1, columns });
      });
    }
    return allOf(tests);
  }
}

const isBlank = (line: ScreenLine, columns: number): boolean =>
  line.text === "" || line.spans.every((span) => span.column >= columns || isBlankBefore(span, columns));

/** What of the span stands left of `columns` is blank. */
const isBlankBefore = ({ text, column }: StyledSpan, columns: number): boolean =>
  text.slice(0, columns - column).trim() === "";

const isList = <Item>(data: Item | readonly Item[]): data is readonly Item[] => Array.isArray(data);
const anyOf = (tests: readonly RowTest[]): RowTest => {
  const [only] = tests;
  return tests.length === 1 && only !== undefined ? only : (line, place) => tests.some((test) => test(line, place));
};
const allOf = (tests: readonly RowTest[]): RowTest => {
  const [only] = tests;
  return tests.length === 1 && only !== undefined ? only : (line, place) => tests.every((test) => test(line, place));
};
const textTest =
  (pattern: { test(text: string): boolean }): RowTest =>
  ({ text }) =>
    pattern.test(text);
const negated =
  (test: RowTest): RowTest =>
  (line, place) =>
    !test(line, place);
const inked = ({ spans }: ScreenLine): readonly StyledSpan[] => spans.filter(({ text }) => text.trim() !== "");

const isShaded = (line: ScreenLine, column: number): boolean => backgroundAt(line, column) !== -1;
const shadeTests: Readonly<Record<NonNullable<RowFacts["shade"]>, RowTest>> = {
  none: (line) => !isShaded(line, 0),
  left: (line) => isShaded(line, 0),
  full: (line, { columns }) => isShaded(line, 0) && isShaded(line, columns - 1),
};

function styleTests({ first, some, every, at, isNumbered, isPadded, isCovered }: RowFacts): RowTest[] {
  const tests: RowTest[] = [];
  if (first !== undefined) {
    const test = spanTest(first);
    tests.push((line) => {
      const span = firstSpan(line);
      return span !== undefined && test(span, line);
    });
  }
  if (some !== undefined) {
    const test = spanTest(some);
    tests.push((line) => inked(line).some((span) => test(span, line)));
  }
  if (every !== undefined) {
    const test = spanTest(every);
    tests.push((line) => inked(line).every((span) => test(span, line)));
  }
  if (at !== undefined) tests.push(atTest(at));
  if (isNumbered !== undefined) tests.push((line) => (withoutLineNumber(line) !== undefined) === isNumbered);
  if (isPadded !== undefined) tests.push((line, { columns }) => fillsRow(line, columns) === isPadded);
  if (isCovered !== undefined) tests.push((line) => hasOverlay(line) === isCovered);
  return tests;
}

/** The column says where, the rest what is true there. */
function atTest(data: SpanTestData): RowTest {
  const tests = (isList(data) ? data : [data]).map(({ column, ...facts }) => ({
    column: typeof column === "number" ? column : 0,
    test: spanTest(facts),
  }));
  return (line) =>
    tests.some(({ column, test }) => {
      const span = spanAt(line, column);
      return span !== undefined && test(span, line);
    });
}

/** One span of the default colour that reaches the right edge, although its text does not: output of a tool is padded so. */
function fillsRow({ spans, text }: ScreenLine, columns: number): boolean {
  const [span] = spans;
  return (
    span !== undefined &&
    spans.length === 1 &&
    span.foreground === -1 &&
    span.text.length >= columns &&
    text.length < columns
  );
}

const overlayColumnMin = 8;

/** A notice over the upper right corner: a bar far from the left edge, with another background behind it. */
function hasOverlay(line: ScreenLine): boolean {
  const column = line.text.indexOf("┃", overlayColumnMin);
  return column !== -1 && backgroundAt(line, column + 2) !== backgroundAt(line, 0);
}

function spanTest(data: SpanTestData): SpanTest {
  const tests = (isList(data) ? data : [data]).map(factsTest);
  return (span, line) => tests.some((test) => test(span, line));
}

function factsTest({ column, colour, background, bold, dim, italic }: SpanFacts): SpanTest {
  const { min = 0, max = Infinity } = typeof column === "number" ? { min: column, max: column } : (column ?? {});
  const isColour = colour === undefined ? null : colourTest(colour);
  const isBackground = background === undefined ? null : colourTest(background);
  return (span, line) =>
    (bold === undefined || span.isBold === bold) &&
    (dim === undefined || span.isDim === dim) &&
    (italic === undefined || span.isItalic === italic) &&
    span.column >= min &&
    span.column <= max &&
    (isColour === null || isColour(span.foreground, line)) &&
    (isBackground === null || isBackground(span.background, line));
}

/** Names of colours, which hold in all themes. */
const colourTests: Readonly<Record<string, ColourTest>> = {
  default: (colour) => colour === -1,
  set: (colour) => colour !== -1,
  grey: isGrey,
  colourless: isColourless,
  plain: isPlain,
  red: isRed,
  orange: isOrange,
  accent: isAccent,
  hidden: (colour, line) => colour === backgroundAt(line, 0),
  visible: (colour, line) => colour !== backgroundAt(line, 0),
};
export const colourNames: readonly string[] = Object.keys(colourTests);

function colourTest(data: ColourData | readonly ColourData[]): ColourTest {
  const tests = (isList(data) ? data : [data]).map(oneColourTest);
  return (colour, line) => tests.some((test) => test(colour, line));
}

function oneColourTest(data: ColourData): ColourTest {
  const named = typeof data === "string" ? colourTests[data] : undefined;
  if (named !== undefined) return named;
  const wanted = typeof data === "number" ? data : 0x1000000 + Number.parseInt(data.slice(1), 16);
  return (colour) => colour === wanted;
}
