/** The command palette: sessions and actions by name. A combobox with a list box, for screen readers. */
import { useId, useState, type KeyboardEvent, type ReactElement } from "react";
import { displayCommand } from "../../core/text/command-line.ts";
import { chooseAppearance } from "../appearance.ts";
import { ModalDialog } from "../parts/dialog.tsx";
import { navigate, parseRoute, sessionPath } from "../router.ts";
import { findListed, groupSessions, matchesFilter } from "../sessions/attention.ts";
import { referenceOf } from "../sessions/continued.ts";
import { closeDialog, openDialog } from "../sessions/dialogs.ts";
import { interruptSession, isLive } from "../sessions/session-actions.ts";
import { sessionList } from "../sessions/session-list.ts";
import { useStore } from "../store.ts";
import { shortcuts } from "./shortcuts.ts";

interface Entry {
  readonly id: string;
  readonly title: string;
  readonly detail: string;
  readonly run: () => void;
}

const SHOWN_MAX = 12;

export function Palette(): ReactElement {
  const { views } = useStore(sessionList);
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const listId = useId();
  const sessions = groupSessions(views)
    .flatMap((group) => group.views)
    .filter((view) => matchesFilter(view, text))
    .map(({ session, standing }): Entry => ({
      id: session.id,
      title: session.name,
      detail: `${standing} · ${displayCommand(session.command)}`,
      run: () => navigate(sessionPath(referenceOf(session))),
    }));
  const words = text.toLowerCase().split(/\s+/);
  const actions = actionsHere().filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)));
  const entries = [...sessions.slice(0, text === "" ? 6 : SHOWN_MAX), ...actions].slice(0, SHOWN_MAX);
  const chosen = Math.min(at, Math.max(0, entries.length - 1));
  const run = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    closeDialog();
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown") setAt(Math.min(chosen + 1, entries.length - 1));
    else if (event.key === "ArrowUp") setAt(Math.max(0, chosen - 1));
    else if (event.key === "Enter") run(entries[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <ModalDialog title="Go to or do" className="palette" onClose={closeDialog}>
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={entries.length === 0 ? undefined : `${listId}-${chosen}`}
        aria-label="Session or command"
        placeholder="A session, or what to do"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onKeyDown={onKeyDown}
        onChange={({ target }) => {
          setText(target.value);
          setAt(0);
        }}
      />
      <div id={listId} className="palette-list" role="listbox" aria-label="Found" tabIndex={-1}>
        {entries.map((entry, index) => (
          // The field keeps the focus and handles the keys.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <div
            key={entry.id}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onMouseMove={() => setAt(index)}
            onClick={() => run(entry)}
          >
            <span className="truncate">{entry.title}</span>
            <small className="note truncate">{entry.detail}</small>
          </div>
        ))}
      </div>
      {entries.length === 0 ? <p className="empty-line">No matches.</p> : null}
      <footer className="palette-keys note">
        {shortcuts.slice(1, 5).map(({ keys, does }) => (
          <span key={keys}>
            <kbd>{keys}</kbd> {does}
          </span>
        ))}
      </footer>
    </ModalDialog>
  );
}

/** Actions; those of the current session come first. */
function actionsHere(): Entry[] {
  const route = parseRoute(location.pathname, new URLSearchParams(location.search));
  const here = route.view === "session" ? findListed(sessionList.get().views, route.session) : undefined;
  const action = (title: string, detail: string, run: () => void): Entry => ({ id: title, title, detail, run });
  const general = [
    action("New session", "Alt N", () => openDialog.set({ kind: "new" })),
    action("New task", "an agent in a git worktree", () => openDialog.set({ kind: "task" })),
    action("All sessions", "list", () => navigate("/")),
    action("Questions", "open questions of all sessions", () => navigate("/approvals")),
    action("Notify this device", "also while this page is closed", () => openDialog.set({ kind: "push" })),
    action("Search", "messages and commands", () => navigate("/search")),
    action("Audit", "calls and decisions", () => navigate("/audit")),
    action("Usage", "tokens and cost", () => navigate("/usage")),
    action("Try a policy", "dry run over a recording", () => navigate("/policy")),
    action("Light colours", "appearance", () => chooseAppearance("light")),
    action("Dark colours", "appearance", () => chooseAppearance("dark")),
    action("Colours of the system", "appearance", () => chooseAppearance("system")),
    action("Operations of the API", "/docs", () => open("/docs", "_blank", "noopener")),
  ];
  if (here === undefined) return general;
  const { session } = here;
  return [
    action(`Conversation of ${session.name}`, "messages", () => navigate(sessionPath(referenceOf(session), "chat"))),
    action(`Replay ${session.name}`, "recording", () => navigate(sessionPath(referenceOf(session), "replay"))),
    action(`Rename ${session.name}`, "name and labels", () => openDialog.set({ kind: "edit", session })),
    ...(isLive(session)
      ? [
          action(`Send Ctrl-C to ${session.name}`, "interrupt", () => void interruptSession(session)),
          action(`End ${session.name}`, "asks first", () => openDialog.set({ kind: "kill", session })),
        ]
      : []),
    ...general,
  ];
}
