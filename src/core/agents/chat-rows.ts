/** Rows of a conversation: what each belongs to and the text in it, by the first rule that fits. */
import type { ScreenLine } from "../screen/screen-lines.ts";
import type { ChatRowRole, RowRuleData } from "./agent-file.ts";
import { expand, groupsIn, replaceFirst, type CompilePattern, type Pattern } from "./pattern.ts";
import { dedent, firstSpan, withoutLineNumber, withoutRight } from "./row-parts.ts";
import type { RowPlace, RowTest, RowTests } from "./row-test.ts";

/**
 * What a row belongs to: a role of messages, or
 * - `blank`: nothing; separates paragraphs
 * - `covered`: something covers it for a while; what was there before is kept
 * - `gap`: rows that were never seen; no rule gives it
 * - `skip`: decoration inside of messages or between them, such as a tip
 * - `notice`: decoration that ends a message, such as the time that a turn took
 */
export type RowRole = ChatRowRole | "gap" | "exit";

/** What the rules read from one row; of other rows only `opensBlock` depends. */
export interface RowReading {
  /** Null: it continues what is above. */
  readonly role: RowRole | null;
  /** It begins a message even if the row above has the same role. */
  readonly isStart?: boolean;
  /** Without marks on the left and scrollbars on the right; blanks in front are part of the text. */
  readonly text: string;
  /** Blanks in front of the rows that follow that are not text. */
  readonly hang?: number;
  /** The role of a row without one behind a tool call. */
  readonly behindCall?: RowRole;
  /** Directly under a row of a call it is part of that call. */
  readonly joinsCall?: boolean;
  /** It shows of a tool only that there was one; a row that shows which one is better. */
  readonly isSummary?: boolean;
}

/** `columns` is where the conversation ends at the right; `opensBlock` as `blockStarts` finds it. */
export type ReadRow = (line: ScreenLine, columns: number, opensBlock?: boolean) => RowReading;

export interface RowRulesOptions {
  readonly tests: RowTests;
  readonly compile: CompilePattern;
  /** Blanks in front of a row that are not text. */
  readonly indent: number;
  /** Fits rows that show a scrollbar in their last column. */
  readonly scrollbar: Pattern | null;
  readonly onRule?: (name: string) => void;
}

export function compileRows(data: Readonly<Record<string, RowRuleData>>, options: RowRulesOptions): ReadRow {
  const { indent, onRule, scrollbar } = options;
  const rules = Object.entries(data).map(([name, rule]) => compileRule(name, rule, options));
  return (raw, columns, opensBlock = false) => {
    const line = scrollbar?.test(raw.text) === true ? withoutRight(raw, columns - 1) : raw;
    if (firstSpan(line) === undefined) return { role: null, text: "" };
    const place = { lines: [line], row: 0, columns, opensBlock };
    const rule = rules.find(({ test }) => test(line, place));
    if (rule === undefined) return { role: null, text: dedent(line.text, indent) };
    onRule?.(rule.name);
    return rule.read(line, place);
  };
}

function compileRule(
  name: string,
  data: RowRuleData,
  options: RowRulesOptions,
): { readonly name: string; readonly test: RowTest; read(line: ScreenLine, place: RowPlace): RowReading } {
  const { role = null, start = false, hang, behindCall, joinsCall, summary } = data;
  const test = options.tests.of(data);
  const fixed: Omit<RowReading, "text" | "isSummary"> = {
    role: role === "blank" ? null : role,
    ...(start && { isStart: true }),
    ...(hang !== undefined && { hang }),
    ...(behindCall !== undefined && { behindCall }),
    ...(joinsCall !== undefined && { joinsCall }),
  };
  if (role === "blank" || role === "covered" || role === "skip" || role === "notice")
    return { name, test, read: () => ({ ...fixed, text: "" }) };
  const textOf = compileText(data, options);
  const cut = data.cut === undefined ? null : options.compile(data.cut);
  const isSummary: RowTest =
    typeof summary === "object" || typeof summary === "string" ? options.tests.of(summary) : () => summary === true;
  return {
    name,
    test,
    read: (line, place) => {
      const text = textOf(line);
      return {
        ...fixed,
        text: cut === null ? text : replaceFirst(text, cut, ""),
        ...(summary !== undefined && { isSummary: isSummary(line, place) }),
      };
    },
  };
}

/** The text of a row: what the groups of the pattern hold, else all of it without its indent. */
function compileText(
  { text, as = "$1", indent, isNumbered, squeeze = false }: RowRuleData,
  options: RowRulesOptions,
): (line: ScreenLine) => string {
  const pattern = text === undefined || groupsIn(text) === 0 ? null : options.compile(text);
  const columns = indent ?? options.indent;
  return (line) => {
    if (isNumbered === true) return withoutLineNumber(line) ?? line.text;
    const match = pattern?.exec(line.text) ?? null;
    const own = match === null ? dedent(line.text, columns) : expand(as, match);
    return squeeze ? own.replaceAll(/ {2,}/g, " ") : own;
  };
}
