/** Gives a terminal of xterm.js, here or on the page, the widths of `core/text/width.ts`. */
import type { Terminal } from "@xterm/headless";
import { clusterStep, columnsOf } from "../../text/width.ts";
import type { XtermCore } from "./internals.ts";

const VERSION = "lectern";

const wcwidth = (codePoint: number): 0 | 1 | 2 => columnsOf(clusterStep(codePoint, 0)) as 0 | 1 | 2; // two bits, never 3

/** Call it once for each terminal, before anything is written to it. */
export function setWidths(terminal: Pick<Terminal, "unicode">): void {
  const provider = { version: VERSION, wcwidth, charProperties: clusterStep };
  terminal.unicode.register(provider);
  terminal.unicode.activeVersion = VERSION;
  const { _core: core } = terminal as unknown as { readonly _core: XtermCore }; // the public type hides the printing
  const handler = core._inputHandler;
  const print = handler.print.bind(handler);
  // xterm.js gives a code point without columns a cell at the start of a row, where there is no character that it could join.
  handler.print = (data, start, end) => {
    let first = start;
    if (core.buffers.active.x === 0) while (first < end && wcwidth(data[first] ?? 0) === 0) first += 1;
    if (first < end) print(data, first, end);
    // Nothing was printed that could be repeated or joined, if all of it joined the cell in front of the cursor.
    const parser = handler._parser;
    if (columnsOf(parser.precedingJoinState) === 0) parser.precedingJoinState = 0;
  };
}
