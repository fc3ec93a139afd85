/** Lines of a screen as rows of a conversation; each is read once. */
import type { ChatRules } from "../agents/chat-rules.ts";
import { withoutRight } from "../agents/row-parts.ts";
import type { ScreenLine } from "../screen/screen-lines.ts";
import { rowKey, rowOf, type Row } from "./row.ts";

export class RowCache {
  readonly #rules: ChatRules;
  readonly #known = new WeakMap<
    ScreenLine,
    { readonly columns: number; readonly opensBlock: boolean; readonly row: Row }
  >();

  constructor(rules: ChatRules) {
    this.#rules = rules;
  }

  /** `columns` is where the conversation ends at the right, `number` that of the row; `opensBlock` as `blockStarts` finds it. */
  read(line: ScreenLine, columns: number, { number, opensBlock }: { number: number; opensBlock: boolean }): Row {
    let known = this.#known.get(line);
    if (known?.columns !== columns || known.opensBlock !== opensBlock) {
      const own = withoutRight(line, columns);
      const key = rowKey(own.text, this.#rules.changing);
      const limit = columns - this.#rules.margin;
      const reading = this.#rules.read(own, columns, opensBlock);
      known = { columns, opensBlock, row: rowOf(line, reading, { key, limit, line: number }) };
      this.#known.set(line, known);
    }
    return known.row.line === number ? known.row : { ...known.row, line: number };
  }
}
