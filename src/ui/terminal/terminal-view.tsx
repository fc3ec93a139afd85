/** The terminal of a session with search, touch keys and status line. */
import "@xterm/xterm/css/xterm.css";
import "./terminal.css";
import { useEffect, useRef, useState, type ReactElement } from "react";
import type { Session } from "../../client.ts";
import { daemon } from "../api.ts";
import { isDark } from "../appearance.ts";
import { Button } from "../parts/button.tsx";
import { byteSize, exitWords } from "../parts/text.ts";
import { Uploads } from "../files/uploads.tsx";
import { watchFiles } from "../files/terminal-files.ts";
import { Icon } from "../parts/icon.tsx";
import { ResumeOffer } from "../sessions/resume.tsx";
import { useStore } from "../store.ts";
import { takeEarlyAttachment } from "./early-attachment.ts";
import { FindBar } from "./find-bar.tsx";
import { LiveTerminal, type LiveTerminalOptions, type LiveTerminalState } from "./live-terminal.ts";
import { terminalTheme } from "./theme.ts";
import { encodeKeys } from "../../core/input/keys.ts";

type TerminalViewProps = Pick<LiveTerminalOptions, "session" | "readOnly" | "screenReader">;

export function TerminalView(props: TerminalViewProps): ReactElement {
  const { session, readOnly, screenReader } = props;
  const host = useRef<HTMLDivElement>(null);
  const [live, setLive] = useState<LiveTerminal>();
  const [isFinding, setFinding] = useState(false);
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const terminal = new LiveTerminal({
      client: daemon(),
      session,
      readOnly,
      screenReader,
      theme: terminalTheme(isDark.get()),
      early: readOnly ? undefined : takeEarlyAttachment(session.id),
    });
    terminal.terminal.attachCustomKeyEventHandler((event) => ownKey(event, terminal, () => setFinding(true)));
    const unsubscribe = isDark.subscribe(() => {
      terminal.theme = terminalTheme(isDark.get());
    });
    let observer: ResizeObserver | undefined;
    // The font must be loaded first, because it determines the size of cells.
    void document.fonts.load('13px "JetBrains Mono Variable"').finally(() => {
      if (!element.isConnected) return;
      void terminal.open(element);
      observer = new ResizeObserver(() => terminal.layout());
      observer.observe(element);
      if (!readOnly && matchMedia("(pointer: fine)").matches) terminal.terminal.focus();
    });
    setLive(terminal);
    const unwatch = readOnly ? undefined : watchFiles(element, session, (text) => terminal.terminal.paste(text));
    return () => {
      unwatch?.();
      unsubscribe();
      observer?.disconnect();
      terminal.dispose();
    };
    // The terminal depends only on the id of the session.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [session.id, readOnly, screenReader]);
  return (
    <div className="terminal column">
      {live !== undefined && isFinding ? <FindBar live={live} onClose={() => setFinding(false)} /> : null}
      <section
        ref={host}
        className="terminal-host"
        data-testid="terminal"
        aria-label={`Terminal of ${session.name}. Alt K opens the command palette.`}
      />
      <Uploads session={session.id} />
      {live === undefined ? null : <TerminalWords live={live} readOnly={readOnly} session={session} />}
      {live === undefined || readOnly ? null : <TouchKeys live={live} />}
    </div>
  );
}

/** Handles the shortcuts of the page; all other keys go to the program. */
function ownKey(event: KeyboardEvent, live: LiveTerminal, find: () => void): boolean {
  if (event.type !== "keydown") return true;
  if (event.altKey && !event.ctrlKey) return !["KeyK", "KeyN", "KeyJ"].includes(event.code);
  if (!event.ctrlKey || !event.shiftKey) return true;
  // Pasting is done by the browser.
  if (event.code === "KeyV") return false;
  const actions: Readonly<Record<string, () => void>> = {
    KeyF: find,
    KeyC: () => void navigator.clipboard.writeText(live.terminal.getSelection()),
    Home: () => live.scrollTo(0),
    End: () => live.terminal.scrollToBottom(),
  };
  const action = actions[event.code];
  if (action === undefined) return true;
  event.preventDefault();
  action();
  return false;
}

interface TerminalWordsProps {
  readonly live: LiveTerminal;
  readonly session: Session;
  readonly readOnly: boolean;
}

/** The status line and buttons around the terminal. */
function TerminalWords({ live, readOnly, session }: TerminalWordsProps): ReactElement {
  const state = useStore(live.state);
  return (
    <>
      {state.hasEarlier && state.isAtTop ? (
        <button type="button" className="terminal-earlier" onClick={() => void live.loadEarlier()}>
          <Icon name="up" /> Load earlier output
        </button>
      ) : null}
      {state.isAtBottom ? null : (
        <button type="button" className="terminal-bottom" onClick={() => live.terminal.scrollToBottom()}>
          <Icon name="down" /> Newest
        </button>
      )}
      {state.askedLink === undefined ? null : (
        <div className="terminal-link panel" role="alertdialog" aria-label="Open this address?">
          <p>
            Open <code>{state.askedLink}</code>?
          </p>
          <Button onClick={() => live.answerLink(false)}>No</Button>
          <Button kind="primary" onClick={() => live.answerLink(true)}>
            Open
          </Button>
        </div>
      )}
      <div className="terminal-status note" data-phase={state.phase} data-held={state.isHeldBack || state.isUnsure}>
        <p className="truncate" role="status">
          {statusText(state, { readOnly, isImported: session.isImported })}
        </p>
        {state.phase === "ended" ? <ResumeOffer session={session} className="terminal-button" /> : null}
        {state.writer === undefined || readOnly ? null : (
          <button type="button" className="terminal-button" onClick={() => live.takeOver()}>
            Take over
          </button>
        )}
        {canFit(state, readOnly) ? (
          <button type="button" className="terminal-button" onClick={() => live.fit()}>
            Fit to this window
          </button>
        ) : null}
        <span className="terminal-size">
          {state.columns} × {state.rows}
        </span>
      </div>
    </>
  );
}

/** The session has another size than this window would give it. */
const canFit = ({ phase, room, columns, rows }: LiveTerminalState, readOnly: boolean): boolean =>
  phase === "live" && !readOnly && room !== undefined && (room.columns !== columns || room.rows !== rows);

/** Names the writer; the name of a prompt is its key, which is not shown. */
const writerText = (writer: string): string =>
  writer.startsWith("prompt ") ? "A prompt is being typed" : `${writer[0]?.toUpperCase()}${writer.slice(1)} types`;

function statusText(
  state: LiveTerminalState,
  { readOnly, isImported }: { readonly readOnly: boolean; readonly isImported: boolean },
): string {
  const { phase, problem, exit, skippedBytes, writer, isHeldBack, isUnsure } = state;
  if (phase === "opening") return problem ?? "Opening";
  if (phase === "reconnecting") return "The daemon does not answer. The program keeps running; reconnecting.";
  if (phase === "failed") return problem ?? "Cannot show this terminal";
  if (phase === "ended" && isImported) return "End of an imported recording";
  if (phase === "ended") return exit === undefined ? "Ended" : `Program ${exitWords(exit)}`;
  if (writer !== undefined) {
    const text = `${readOnly ? "Read only: " : ""}${writerText(writer)}`;
    return isHeldBack ? `${text}; your keys were not sent` : text;
  }
  if (problem !== undefined) return problem;
  if (isUnsure) return "The connection broke while you typed; see whether your last keys arrived";
  if (skippedBytes > 0)
    return `${byteSize(skippedBytes)} arrived faster than the page can draw; Replay shows everything`;
  return readOnly ? "Read only" : "";
}

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

/** Keys missing on touch keyboards. Ctrl and Alt apply to the next key, including keys of the touch keyboard. */
function TouchKeys({ live }: { readonly live: LiveTerminal }): ReactElement {
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
