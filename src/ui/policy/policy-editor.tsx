/** A text editor with line numbers. Lines with problems are marked, and each problem links to its line. */
import { useId, type ReactElement, type RefObject } from "react";
import { escapeForDisplay } from "../../core/text/escape.ts";
import type { DryRun } from "./use-dry-run.ts";

type Problem = DryRun["problems"][number];

interface PolicyEditorProps {
  readonly text: string;
  readonly problems: readonly Problem[];
  readonly onChange: (text: string) => void;
  readonly field: RefObject<HTMLTextAreaElement | null>;
}

/** The minimum height of the editor. */
const LINES_MIN = 14;

export function PolicyEditor({ text, problems, onChange, field }: PolicyEditorProps): ReactElement {
  const problemsId = useId();
  const lines = text.split("\n").length;
  const worst = new Map(problems.map(({ line, severity }) => [line, severity]));
  for (const { line, severity } of problems) if (severity === "error") worst.set(line, severity);
  return (
    <div className="policy-editor">
      <div className="policy-text">
        <ol aria-hidden="true">
          {Array.from({ length: lines }, (_, index) => (
            <li key={index} data-problem={worst.get(index + 1)}>
              {index + 1}
            </li>
          ))}
        </ol>
        <textarea
          ref={field}
          aria-label="Policy"
          aria-describedby={problemsId}
          aria-invalid={problems.some(({ severity }) => severity === "error")}
          autoCapitalize="none"
          autoComplete="off"
          rows={Math.max(LINES_MIN, lines)}
          spellCheck={false}
          value={text}
          wrap="off"
          onChange={({ target }) => onChange(target.value)}
        />
      </div>
      <div id={problemsId} role="status" aria-label="Problems">
        <ul className="policy-problems">
          {problems.map(({ line, column, severity, message }) => (
            <li key={`${line} ${column} ${message}`} data-severity={severity}>
              <button type="button" onClick={() => goToLine(field.current, line)}>
                Line {line}
              </button>
              <span>{escapeForDisplay(message)}</span>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

/** Selects a line. */
export function goToLine(field: HTMLTextAreaElement | null, line: number): void {
  if (field === null) return;
  const before = field.value.split("\n").slice(0, line - 1);
  const start = before.reduce((sum, each) => sum + each.length + 1, 0);
  const end = field.value.indexOf("\n", start);
  field.focus();
  field.setSelectionRange(start, end === -1 ? field.value.length : end);
}
