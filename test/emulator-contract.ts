/**
 * The contract of a terminal emulator (`src/core/emulator/emulator.ts`) as rows of data: output and resizes in, what is seen of the emulator
 * out. A maker that has not all of the interface can be run through the rows that need nothing else; `bench/emulators.ts` does so.
 */
import { charactersAt, widthAt } from "../src/core/emulator/cells.ts";
import type {
  Emulator,
  EmulatorModes,
  EmulatorOptions,
  EmulatorRow,
  MakeEmulator,
} from "../src/core/emulator/emulator.ts";

/** What the interface shows of an emulator. Rows are without blanks at their end, and empty ones at the end are left out. */
export interface Seen {
  readonly screen: readonly string[];
  /** Of the normal screen, above it. */
  readonly scrollback: readonly string[];
  /** Which rows of the screen continue the row above. */
  readonly wrapped: readonly number[];
  /** The text of each cell of the first row up to its last one with text; "" is nothing printed, or the second half of a wide character. */
  readonly cells: readonly string[];
  /** The columns of the same cells. */
  readonly widths: readonly number[];
  readonly cursor: readonly [column: number, row: number];
  readonly isCursorVisible: boolean;
  readonly cursorShape: string | null;
  readonly isAlternate: boolean;
  readonly title: string;
  readonly linesDropped: number;
  readonly replies: readonly string[];
  readonly modes: Partial<EmulatorModes>;
}

/** Output, or a new size. */
export type ContractStep = string | readonly [columns: number, rows: number];

export interface ContractRow {
  readonly name: string;
  /** Default 10. */
  readonly columns?: number;
  /** Default 4. */
  readonly rows?: number;
  /** Default 10. */
  readonly scrollbackLinesMax?: number;
  readonly steps: readonly ContractStep[];
  readonly expected: Partial<Seen>;
}

const ESC = "\u001B";
const CSI = `${ESC}[`;
const family = "\u{1F469}\u200D\u{1F469}\u200D\u{1F467}";

const cursorRows: readonly ContractRow[] = [
  {
    name: "the cursor is moved, and stays on the screen",
    steps: [`a${CSI}3;5Hb${CSI}99;99Hc${CSI}99A${CSI}99D`],
    expected: { screen: ["a", "", "    b", "         c"], cursor: [0, 0] },
  },
  {
    name: "a saved cursor is restored with its style of writing",
    steps: [`${CSI}2;3H${ESC}7${CSI}4;1Hx${ESC}8y`],
    expected: { screen: ["", "  y", "", "x"], cursor: [3, 1] },
  },
  {
    name: "with origin mode rows count from the top margin",
    steps: [`${CSI}2;3r${CSI}?6h${CSI}1;1Hx${CSI}9;1Hy`],
    expected: { screen: ["", "x", "y"], modes: { origin: true } },
  },
  {
    name: "a line feed at the bottom margin scrolls between the margins only",
    steps: [`1\r\n2\r\n3\r\n4${CSI}2;3r${CSI}3;1H\nx`],
    expected: { screen: ["1", "3", "x", "4"], scrollback: [] },
  },
  {
    name: "the cursor is hidden, shown and shaped",
    steps: [`${CSI}?25l${CSI}6 q`],
    expected: { isCursorVisible: false, cursorShape: "bar" },
  },
];

const wrapRows: readonly ContractRow[] = [
  {
    name: "behind a full row the cursor waits for the next character",
    steps: ["0123456789"],
    expected: { screen: ["0123456789"], cursor: [10, 0], wrapped: [] },
  },
  {
    name: "text wraps, and the row is marked",
    steps: ["0123456789ab"],
    expected: { screen: ["0123456789", "ab"], cursor: [2, 1], wrapped: [1] },
  },
  {
    name: "a line feed does not mark the row",
    steps: ["0123456789\r\nab"],
    expected: { screen: ["0123456789", "ab"], wrapped: [] },
  },
  {
    name: "erasing to the end of a full row keeps its last character",
    steps: [`123456789,${CSI}K`],
    expected: { screen: ["123456789,"] },
  },
  {
    name: "a cursor that moved no longer waits",
    steps: [`0123456789${CSI}Da`],
    expected: { screen: ["01234567a9"], cursor: [9, 0] },
  },
  {
    name: "without wrapping the last column is overwritten",
    steps: [`${CSI}?7l0123456789abc`],
    expected: { screen: ["012345678c"], modes: { wraparound: false } },
  },
  {
    name: "a wide character that does not fit wraps whole",
    steps: ["012345678漢"],
    expected: { screen: ["012345678", "漢"], wrapped: [1], cursor: [2, 1] },
  },
];

const editRows: readonly ContractRow[] = [
  {
    name: "characters are inserted and deleted",
    steps: [`abcdef${CSI}3G${CSI}2@xy${CSI}2P`],
    expected: { screen: ["abxyef"] },
  },
  {
    name: "insert mode moves the rest of the row",
    steps: [`abc\r${CSI}4hxy`],
    expected: { screen: ["xyabc"], modes: { insert: true } },
  },
  {
    name: "rows are inserted and deleted",
    steps: [`1\r\n2\r\n3${CSI}2;1H${CSI}L${CSI}4;1H${CSI}M`],
    expected: { screen: ["1", "", "2"] },
  },
  {
    name: "erased are the left part, the right part and all of it",
    steps: [`abcdef${CSI}3G${CSI}1K\r\nabcdef${CSI}3G${CSI}K\r\nabc${CSI}2K`],
    expected: { screen: ["   def", "ab"] },
  },
  { name: "a character is repeated", steps: [`ab${CSI}3b`], expected: { screen: ["abbbb"], cursor: [5, 0] } },
  {
    name: "tab stops are at every eighth column, set and cleared",
    columns: 30,
    steps: [`\ta\r${CSI}5G${ESC}H\r\n\tb\tc\r\n${CSI}3g\td`],
    expected: { screen: ["        a", "    b   c", "                             d"] },
  },
  { name: "line drawing characters replace letters", steps: [`${ESC}(0lqk${ESC}(Bq`], expected: { screen: ["┌─┐q"] } },
];

const screenRows: readonly ContractRow[] = [
  {
    name: "the alternate screen is empty, has no scrollback and gives the normal one back",
    steps: [`normal${CSI}?1049h1\r\n2\r\n3\r\n4\r\n5\r\n6`],
    expected: { isAlternate: true, screen: ["3", "4", "5", "6"], scrollback: [] },
  },
  {
    name: "leaving the alternate screen restores the text and the cursor",
    steps: [`normal${CSI}?1049hother${CSI}?1049lx`],
    expected: { isAlternate: false, screen: ["normalx"], cursor: [7, 0] },
  },
  {
    name: "lines leave at the top, and the oldest are dropped over the limit",
    scrollbackLinesMax: 3,
    steps: ["1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8\r\n9"],
    expected: { screen: ["6", "7", "8", "9"], scrollback: ["3", "4", "5"], linesDropped: 2 },
  },
  {
    name: "a limit of no lines keeps none",
    scrollbackLinesMax: 0,
    steps: ["1\r\n2\r\n3\r\n4\r\n5"],
    expected: { screen: ["2", "3", "4", "5"], scrollback: [], linesDropped: 1 },
  },
  {
    name: "the scrollback is erased",
    steps: [`1\r\n2\r\n3\r\n4\r\n5\r\n6${CSI}3J`],
    expected: { screen: ["3", "4", "5", "6"], scrollback: [], linesDropped: 2 },
  },
  {
    name: "a reset drops the screen and the scrollback, and counts them",
    steps: [`1\r\n2\r\n3\r\n4\r\n5\r\n6${ESC}cx`],
    expected: { screen: ["x"], scrollback: [], linesDropped: 6 },
  },
  {
    name: "the title is set, put aside and restored",
    steps: [`${ESC}]2;shell\u0007${CSI}22;2t${ESC}]0;agent\u0007`, `${CSI}23;2t`],
    expected: { title: "shell" },
  },
];

const sizeRows: readonly ContractRow[] = [
  {
    name: "a narrower screen wraps its lines anew",
    steps: ["0123456789\r\nab", [5, 4]],
    expected: { screen: ["01234", "56789", "ab"], wrapped: [1], cursor: [2, 2] },
  },
  {
    name: "a wider screen joins wrapped rows",
    steps: ["0123456789abcd\r\nx", [20, 4]],
    expected: { screen: ["0123456789abcd", "x"], wrapped: [], cursor: [1, 1] },
  },
  {
    name: "a lower screen pushes lines above it",
    steps: ["1\r\n2\r\n3\r\n4", [10, 2]],
    expected: { screen: ["3", "4"], scrollback: ["1", "2"], cursor: [1, 1] },
  },
  {
    name: "a lower screen drops empty rows below the cursor first",
    steps: ["1\r\n2", [10, 2]],
    expected: { screen: ["1", "2"], scrollback: [], cursor: [1, 1] },
  },
  {
    name: "a higher screen gets its lines back",
    steps: ["1\r\n2\r\n3\r\n4\r\n5\r\n6", [10, 6]],
    expected: { screen: ["1", "2", "3", "4", "5", "6"], scrollback: [], cursor: [1, 5] },
  },
  {
    name: "the alternate screen is truncated and not wrapped",
    steps: [`${CSI}?1049h0123456789`, [5, 4]],
    expected: { screen: ["01234"], wrapped: [] },
  },
  {
    name: "a wrapped wide character is not halved",
    columns: 6,
    steps: ["ab漢字\r\nx", [5, 4]],
    expected: { screen: ["ab漢", "字", "x"], wrapped: [1] },
  },
];

const cellRows: readonly ContractRow[] = [
  {
    name: "wide characters take two columns",
    steps: ["漢a"],
    expected: { cells: ["漢", "", "a"], widths: [2, 0, 1], cursor: [3, 0] },
  },
  {
    name: "an overwritten half takes the other half with it",
    steps: [`漢字${CSI}2Gx`],
    expected: { screen: [" x字"] },
  },
  { name: "accents join their letter", steps: ["e\u0301x"], expected: { cells: ["e\u0301", "x"], widths: [1, 1] } },
  {
    name: "an emoji of several code points is one wide cell",
    steps: [`${family}x`],
    expected: { cells: [family, "", "x"], widths: [2, 0, 1] },
  },
  { name: "a flag is one wide cell", steps: ["🇩🇪x"], expected: { cells: ["🇩🇪", "", "x"], widths: [2, 0, 1] } },
  { name: "a skin tone joins its emoji", steps: ["👍🏽x"], expected: { cells: ["👍🏽", "", "x"], widths: [2, 0, 1] } },
  {
    name: "VS16 makes a character wide",
    steps: ["\u2764\uFE0Fx"],
    expected: { cells: ["\u2764\uFE0F", "", "x"], widths: [2, 0, 1] },
  },
  {
    name: "VS15 is kept in the text",
    steps: ["\u26A0\uFE0Ex"],
    expected: { cells: ["\u26A0\uFE0E", "x"], widths: [1, 1] },
  },
  {
    name: "a mark joins the cell in front of the cursor, also behind a sequence",
    steps: [`e${CSI}0m\u0301漢${CSI}1m\u0302x`],
    expected: { cells: ["e\u0301", "漢\u0302", "", "x"], cursor: [4, 0] },
  },
  {
    name: "a sequence ends what could join with columns of its own",
    steps: [`🇩${CSI}0m🇪👩\u200D${CSI}0m👧`],
    expected: { cells: ["🇩", "🇪", "👩\u200D", "", "👧"], widths: [1, 1, 2, 0, 2] },
  },
  {
    name: "a code point without columns is dropped where there is no character in front of it",
    steps: [`\u200Ba\r\n\u0301b${CSI}2C\u200Bc`],
    expected: { screen: ["a", "b  c"], cursor: [4, 1] },
  },
  {
    name: "a spacing vowel sign, SARA AM and a half-width voiced mark have columns of their own",
    steps: ["कि\u0E19\u0E33ﾊﾟx"],
    expected: { cells: ["क", "ि", "\u0E19", "\u0E33", "ﾊ", "ﾟ", "x"], cursor: [7, 0] },
  },
];

const modeRows: readonly ContractRow[] = [
  {
    name: "modes of the keyboard and the mouse are reported",
    steps: [`${CSI}?1;66;1004;2004;1003;1006h`],
    expected: {
      modes: {
        applicationCursorKeys: true,
        applicationKeypad: true,
        bracketedPaste: true,
        focusEvents: true,
        mouse: "any",
        mouseEncoding: "sgr",
      },
    },
  },
  {
    name: "modes are off at first",
    steps: [""],
    expected: {
      modes: {
        applicationCursorKeys: false,
        bracketedPaste: false,
        mouse: "none",
        mouseEncoding: "default",
        insert: false,
        origin: false,
        wraparound: true,
        synchronizedOutput: false,
      },
    },
  },
  {
    name: "a synchronized update is reported",
    steps: [`${CSI}?2026h`],
    expected: { modes: { synchronizedOutput: true } },
  },
  {
    name: "a soft reset ends insert mode and origin mode",
    steps: [`${CSI}4h${CSI}?6h${CSI}!p`],
    expected: { modes: { insert: false, origin: false } },
  },
  {
    name: "a mouse mode that is reset is off",
    steps: [`${CSI}?1000h${CSI}?1000l`],
    expected: { modes: { mouse: "none" } },
  },
  {
    name: "questions about the position and the status are answered",
    steps: [`ab${CSI}6n${CSI}5n`],
    expected: { replies: [`${CSI}1;3R`, `${CSI}0n`] },
  },
  {
    name: "sequences of applications without an effect show nothing",
    steps: [`a${ESC}_private${ESC}\\${ESC}^more${ESC}\\${ESC}P1;2|17/17${ESC}\\b`],
    expected: { screen: ["ab"] },
  },
];

/** All rows, each with a name of its own. */
export const contractRows: readonly ContractRow[] = [
  ...cursorRows,
  ...wrapRows,
  ...editRows,
  ...screenRows,
  ...sizeRows,
  ...cellRows,
  ...modeRows,
];

/** The size at the start of a row. */
export const sizeOf = ({ columns = 10, rows = 4, scrollbackLinesMax = 10 }: ContractRow): EmulatorOptions => ({
  columns,
  rows,
  scrollbackLinesMax,
});

/** An emulator after the steps of a row. */
export function emulatorAfter(make: MakeEmulator, row: ContractRow): Emulator {
  const emulator = make(sizeOf(row));
  for (const step of row.steps) {
    if (typeof step === "string") emulator.write(step);
    else emulator.resize(...step);
  }
  return emulator;
}

/** The parts that `wanted` names; others are not asked for, so that a maker may lack them. Takes the replies away. */
export function seenOf(emulator: Emulator, wanted: Partial<Seen>): Partial<Seen> {
  const readers: { readonly [Name in keyof Seen]: () => Seen[Name] } = {
    screen: () => rowsOf(emulator.rows, (index) => emulator.row(index), emulator.columns),
    scrollback: () => rowsOf(emulator.scrollbackLines, (index) => emulator.normalRow(index), emulator.columns),
    wrapped: () =>
      Array.from({ length: emulator.rows }, (_, index) => index).filter((index) => emulator.row(index)?.isWrapped),
    cells: () => firstCells(emulator).map((column) => charactersIn(emulator.row(0), column)),
    widths: () => firstCells(emulator).map((column) => widthIn(emulator.row(0), column)),
    cursor: () => [emulator.cursor.column, emulator.cursor.row],
    isCursorVisible: () => emulator.cursor.isVisible,
    cursorShape: () => emulator.cursor.shape,
    isAlternate: () => emulator.isAlternate,
    title: () => emulator.title,
    linesDropped: () => emulator.linesDropped,
    replies: () => emulator.takeReplies(),
    modes: () => {
      const { modes } = emulator;
      const names = Object.keys(wanted.modes ?? modes) as (keyof EmulatorModes)[];
      return Object.fromEntries(names.map((name) => [name, modes[name]]));
    },
  };
  const names = Object.keys(wanted) as (keyof Seen)[];
  return Object.fromEntries(names.map((name) => [name, readers[name]()]));
}

/** Asks for everything but replies, to compare two emulators. */
export const everything: Partial<Seen> = {
  screen: [],
  scrollback: [],
  wrapped: [],
  cells: [],
  widths: [],
  cursor: [0, 0],
  isCursorVisible: true,
  cursorShape: null,
  isAlternate: false,
  title: "",
};

function rowsOf(count: number, rowAt: (index: number) => EmulatorRow | undefined, columns: number): string[] {
  const rows = Array.from({ length: count }, (_, index) => textOf(rowAt(index), columns));
  return rows.slice(0, rows.findLastIndex((row) => row !== "") + 1);
}

function textOf(row: EmulatorRow | undefined, columns: number): string {
  if (row === undefined) return "";
  let text = "";
  for (let column = 0; column < columns; column += Math.max(widthAt(row, column), 1))
    text += charactersAt(row, column) || " ";
  return text.trimEnd();
}

const charactersIn = (row: EmulatorRow | undefined, column: number): string =>
  row === undefined ? "" : charactersAt(row, column);
const widthIn = (row: EmulatorRow | undefined, column: number): number =>
  row === undefined ? 0 : widthAt(row, column);

/** The columns of the first row up to the last one with text. */
function firstCells(emulator: Emulator): number[] {
  const columns = Array.from({ length: emulator.columns }, (_, column) => column);
  const row = emulator.row(0);
  return columns.slice(0, columns.findLastIndex((column) => charactersIn(row, column) !== "") + 1);
}
