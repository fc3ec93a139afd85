/** The lines of a patch in one column or in two. The text is an agent's: it is only ever text, and what acts is shown as its code. */
import { memo, type MouseEvent, type ReactElement } from "react";
import { pairLines, type PatchHunk, type PatchLine } from "../../core/diff/patch.ts";
import { highlight } from "../parts/highlight.ts";
import { displayLines } from "../parts/text.ts";

/** Rows of one file; the rest is counted. */
const ROWS_MAX = 3000;
/** Of one line, such as a minified file. */
const CHARS_MAX = 2000;

export type DiffLayout = "unified" | "split";

interface DiffLinesProps {
  readonly hunks: readonly PatchHunk[];
  readonly layout: DiffLayout;
  /** For readers that hear it. */
  readonly label: string;
  /** A line was pressed. */
  readonly onLine: ((line: PatchLine) => void) | undefined;
}

export const DiffLines = memo(function DiffLines({ hunks, layout, label, onLine }: DiffLinesProps): ReactElement {
  const { shown, hidden } = cut(hunks);
  const press = ({ target }: MouseEvent<HTMLElement>): void => {
    // Who selects text to copy it presses nothing.
    if (!(target instanceof Element) || !(getSelection()?.isCollapsed ?? true)) return;
    const place = target.closest<HTMLElement>("[data-line]")?.dataset["line"];
    const line = shown.flatMap(({ lines }) => lines).find((each) => placeOf(each) === place);
    if (line !== undefined) onLine?.(line);
  };
  return (
    <>
      {/* A region that scrolls must be reachable by keyboard, which comments by the button of the file. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex, jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions */}
      <div className="diff-scroll" role="region" aria-label={label} tabIndex={0} onClick={press}>
        <table className="diff" data-layout={layout}>
          {layout === "split" ? (
            <colgroup>
              <col className="diff-number" />
              <col />
              <col className="diff-number" />
              <col />
            </colgroup>
          ) : null}
          <tbody>
            {shown.map((hunk, index) => (
              // Hunks have no other identity, and a patch is rendered as a whole.
              // oxlint-disable-next-line react/no-array-index-key
              <Hunk key={index} hunk={hunk} layout={layout} />
            ))}
          </tbody>
        </table>
      </div>
      {hidden > 0 ? <p className="note diff-note">{hidden.toLocaleString("en")} more lines are not shown.</p> : null}
    </>
  );
});

function cut(hunks: readonly PatchHunk[]): { readonly shown: readonly PatchHunk[]; readonly hidden: number } {
  let room = ROWS_MAX;
  const total = hunks.reduce((sum, { lines }) => sum + lines.length, 0);
  const shown = hunks.flatMap(({ heading, lines }) => {
    const kept = lines.slice(0, Math.max(0, room));
    room -= kept.length;
    return kept.length === 0 ? [] : [{ heading, lines: kept }];
  });
  return { shown, hidden: Math.max(0, total - ROWS_MAX) };
}

function Hunk({ hunk, layout }: { readonly hunk: PatchHunk; readonly layout: DiffLayout }): ReactElement {
  const columns = layout === "split" ? 4 : 3;
  const first = hunk.lines.find(({ newNumber, oldNumber }) => (newNumber ?? oldNumber) !== null);
  return (
    <>
      <tr className="diff-hunk">
        <td colSpan={columns}>
          line {first?.newNumber ?? first?.oldNumber ?? 0} {displayLines(hunk.heading)}
        </td>
      </tr>
      {layout === "split"
        ? pairLines(hunk.lines).map(({ left, right }) => (
            <tr key={`${left?.oldNumber ?? ""}-${right?.newNumber ?? ""}-${left?.kind ?? ""}`}>
              <Side line={left} number={left?.oldNumber ?? null} />
              <Side line={right} number={right?.newNumber ?? null} />
            </tr>
          ))
        : hunk.lines.map((line) => (
            <tr key={`${line.oldNumber ?? ""}-${line.newNumber ?? ""}-${line.kind}`} data-kind={line.kind}>
              <td className="diff-number">{line.oldNumber}</td>
              <td className="diff-number">{line.newNumber}</td>
              <CodeCell line={line} />
            </tr>
          ))}
    </>
  );
}

function Side({ line, number }: { readonly line: PatchLine | null; readonly number: number | null }): ReactElement {
  return (
    <>
      <td className="diff-number" data-kind={line?.kind}>
        {number}
      </td>
      {line === null ? <td className="diff-none">{"\u00A0"}</td> : <CodeCell line={line} />}
    </>
  );
}

const signs: Readonly<Record<PatchLine["kind"], string>> = { added: "+", removed: "-", same: " ", note: "\\" };

/** Undefined for a note of git, which is no line of a file. */
const placeOf = ({ kind, newNumber, oldNumber }: PatchLine): string | undefined =>
  kind === "note" ? undefined : `${oldNumber ?? ""} ${newNumber ?? ""}`;

function CodeCell({ line }: { readonly line: PatchLine }): ReactElement {
  const { kind, text } = line;
  const rest = text.length - CHARS_MAX;
  const shown = displayLines(rest > 0 ? text.slice(0, CHARS_MAX) : text);
  return (
    <td className="diff-code" data-kind={kind} data-line={placeOf(line)}>
      <span className="diff-sign">{signs[kind]}</span>
      {kind === "note"
        ? shown
        : highlight(shown, "").map((piece, index) => (
            // Pieces have no other identity, and a line is rendered as a whole.
            // oxlint-disable-next-line react/no-array-index-key
            <span key={index} data-piece={piece.kind}>
              {piece.text}
            </span>
          ))}
      {rest > 0 ? <span className="note"> … {rest.toLocaleString("en")} more characters</span> : null}
    </td>
  );
}
