import { useEffect, useRef, useState, type KeyboardEvent, type ReactElement } from "react";
import { IconButton } from "../parts/icon-button.tsx";
import type { LiveTerminal } from "./live-terminal.ts";

const decorations = {
  matchBackground: "#f2d38a",
  matchOverviewRuler: "#b4581c",
  activeMatchBackground: "#e8985a",
  activeMatchColorOverviewRuler: "#e8985a",
};

interface FindBarProps {
  readonly live: LiveTerminal;
  readonly onClose: () => void;
}

/** Searches the scrollback: Enter goes up, Shift-Enter down, Escape closes. */
export function FindBar({ live, onClose }: FindBarProps): ReactElement {
  const [text, setText] = useState("");
  const [found, setFound] = useState<{ readonly index: number; readonly count: number }>();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    input.current?.focus();
    const listening = live.search.onDidChangeResults(({ resultIndex, resultCount }) =>
      setFound({ index: resultIndex, count: resultCount }),
    );
    return () => {
      listening.dispose();
      live.search.clearDecorations();
      live.terminal.focus();
    };
  }, [live]);
  const find = (wanted: string, direction: "up" | "down"): void => {
    if (wanted === "") live.search.clearDecorations();
    else if (direction === "up") live.search.findPrevious(wanted, { decorations });
    else live.search.findNext(wanted, { decorations });
    const { buffer, rows } = live.terminal;
    const match = live.terminal.getSelectionPosition()?.start.y;
    const { viewportY } = buffer.active;
    if (match !== undefined && (match < viewportY || match >= viewportY + rows))
      live.scrollTo(Math.max(0, match - Math.floor(rows / 2)));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") onClose();
    if (event.key === "Enter") find(text, event.shiftKey ? "down" : "up");
  };
  return (
    <search className="find panel">
      <input
        ref={input}
        type="search"
        aria-label="Find in the terminal"
        placeholder="Find"
        value={text}
        onKeyDown={onKeyDown}
        onChange={({ target }) => {
          setText(target.value);
          find(target.value, "up");
        }}
      />
      <span className="find-count note" role="status">
        {text === "" || found === undefined ? "" : foundText(found)}
      </span>
      <IconButton label="Previous match" icon="up" onClick={() => find(text, "up")} />
      <IconButton label="Next match" icon="down" onClick={() => find(text, "down")} />
      <IconButton label="Close search" icon="close" onClick={onClose} />
    </search>
  );
}

function foundText({ index, count }: { readonly index: number; readonly count: number }): string {
  if (count === 0) return "none";
  return index < 0 ? `${count}` : `${index + 1} of ${count}`;
}
