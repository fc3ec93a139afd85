import "./code.css";
import { memo, useState, type ReactElement } from "react";
import { IconButton } from "./icon-button.tsx";
import { displayLines } from "./text.ts";
import { highlight, looksLikeDiff } from "./highlight.ts";

interface CodeProps {
  readonly text: string;
  readonly language?: string;
}

/** A highlighted code block with a copy button. */
export const Code = memo(function Code({ text, language = "" }: CodeProps): ReactElement {
  const shown = language === "" && looksLikeDiff(text) ? "diff" : language;
  return (
    <div className="code-block" data-language={shown}>
      {/* A scrollable region must be reachable by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0}>
        <code>
          {highlight(displayLines(text), shown).map(({ kind, text: piece }, index) => (
            // Pieces have no other identity, and a block is always rendered as a whole.
            // oxlint-disable-next-line react/no-array-index-key
            <span key={index} data-kind={kind}>
              {piece}
            </span>
          ))}
        </code>
      </pre>
      <CopyButton text={text} />
    </div>
  );
});

function CopyButton({ text }: { readonly text: string }): ReactElement {
  const [isDone, setDone] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setDone(true);
  };
  return (
    <IconButton
      label={isDone ? "Copied" : "Copy"}
      icon={isDone ? "check" : "copy"}
      className="copy"
      onClick={() => void copy()}
    />
  );
}
