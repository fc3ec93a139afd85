/** Keys missing on touch keyboards. Ctrl and Alt apply to the next key, including keys of the touch keyboard. */
import type { ReactElement } from "react";
import { encodeKeys } from "../../core/input/keys.ts";
import { useStore } from "../store.ts";
import type { LiveTerminal } from "./live-terminal.ts";

interface TouchKey {
  readonly label: string;
  /** Its name as in tmux. */
  readonly key: string;
  readonly name: string;
}

const keys: readonly TouchKey[] = [
  { label: "esc", key: "Escape", name: "esc, Escape" },
  { label: "tab", key: "Tab", name: "Tab" },
  { label: "←", key: "Left", name: "Left" },
  { label: "↓", key: "Down", name: "Down" },
  { label: "↑", key: "Up", name: "Up" },
  { label: "→", key: "Right", name: "Right" },
  { label: "^C", key: "C-c", name: "Control C" },
  { label: "⇧tab", key: "BTab", name: "Shift Tab" },
  { label: "pgup", key: "PageUp", name: "pgup, Page up" },
  { label: "pgdn", key: "PageDown", name: "pgdn, Page down" },
  { label: "|", key: "|", name: "Bar" },
  { label: "~", key: "~", name: "Tilde" },
  { label: "/", key: "/", name: "Slash" },
];

export function TouchKeys({ live }: { readonly live: LiveTerminal }): ReactElement {
  const modifier = useStore(live.modifier);
  const press = (key: string): void => {
    const name = modifier === undefined || key.startsWith("C-") ? key : `${modifier}-${key}`;
    const applicationCursor = live.terminal.modes.applicationCursorKeysMode;
    live.modifier.set(undefined);
    live.typeBytes(encodeKeys([name], { applicationCursor }));
  };
  return (
    <div className="touch-keys" role="toolbar" aria-label="Terminal keys">
      {(["C", "M"] as const).map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={modifier === name}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => live.modifier.set(modifier === name ? undefined : name)}
        >
          {name === "C" ? "ctrl" : "alt"}
        </button>
      ))}
      {keys.map(({ label, key, name }) => (
        <button
          key={key}
          type="button"
          aria-label={name}
          // Keeps the focus in the terminal, so that the touch keyboard stays open.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => press(key)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
