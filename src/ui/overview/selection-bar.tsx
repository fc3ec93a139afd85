/** What can be done to the selected sessions. */
import { type ReactElement } from "react";
import { IconButton } from "../parts/icon-button.tsx";
import type { ListedSession } from "../sessions/attention.ts";
import { counted, type BulkKind } from "../sessions/bulk-actions.ts";
import { openDialog } from "../sessions/dialogs.ts";
import { endSelection, selection, toggledAll } from "../sessions/selection.ts";
import { isLive } from "../sessions/session-actions.ts";
import { useStore } from "../store.ts";

/** `shown`: in the order of the list. */
export function SelectionBar({ shown }: { readonly shown: readonly ListedSession[] }): ReactElement | null {
  const selected = useStore(selection);
  if (!selected.isOn) return null;
  // What went away or is filtered out is not acted on.
  const chosen = shown.filter(({ session }) => selected.ids.has(session.id)).map(({ session }) => session);
  const live = chosen.filter(isLive);
  const ended = chosen.filter((session) => session.endedAt !== null);
  const action = (kind: BulkKind, label: string, sessions: typeof chosen): ReactElement => (
    <button
      type="button"
      className={kind === "end" || kind === "remove" ? "button danger" : "button"}
      disabled={sessions.length === 0}
      onClick={() => openDialog.set({ kind: "bulk", action: kind, sessions })}
    >
      {label}
      {sessions.length === 0 || sessions.length === chosen.length ? null : (
        <span className="selection-part">
          <span className="visually-hidden">, </span>
          {sessions.length}
        </span>
      )}
    </button>
  );
  return (
    <div className="selection-bar panel" role="toolbar" aria-label="Selected sessions">
      <label className="selection-all">
        <input
          type="checkbox"
          aria-label="Select all"
          checked={chosen.length > 0 && chosen.length === shown.length}
          onChange={() =>
            selection.set(
              toggledAll(
                selection.get(),
                shown.map(({ session }) => session.id),
              ),
            )
          }
        />
        <span role="status">{counted(chosen.length)}</span>
      </label>
      {action("prompt", "Send prompt", live)}
      {action("label", "Label", chosen)}
      {action("end", "End", live)}
      {action("remove", "Remove", ended)}
      <IconButton label="Stop selecting" icon="close" onClick={endSelection} />
    </div>
  );
}
