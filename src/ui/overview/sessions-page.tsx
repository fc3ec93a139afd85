/** The first page: all sessions, those that need a person first. */
import { useDeferredValue, useEffect, useRef, useState, type ReactElement } from "react";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { later } from "../parts/later.tsx";
import { FilterField, PageHead } from "../parts/page-head.tsx";
import { useStore } from "../store.ts";
import { groupSessions, matchesFilter, type ListedSession } from "../sessions/attention.ts";
import { openDialog } from "../sessions/dialogs.ts";
import { GroupSection } from "./group-section.tsx";
import { sessionList } from "../sessions/session-list.ts";
import { beginSelection, endSelection, selection, toggledAll } from "../sessions/selection.ts";
import { SessionRow } from "./session-row.tsx";
import { escapeForDisplay } from "../../core/text/escape.ts";
import type { MachineInfo } from "../../protocol/machines.ts";
import { Ago } from "../parts/time.tsx";
import { IconButton } from "../parts/icon-button.tsx";
import { counted, type BulkKind } from "../sessions/bulk-actions.ts";
import { isLive } from "../sessions/session-actions.ts";

const LiveGrid = later(async () => (await import("./live-grid.tsx")).LiveGrid);

const LAYOUT_KEY = "lectern-layout";
type Layout = "list" | "grid";

export function SessionsPage(): ReactElement {
  const { isLoaded, views, machines } = useStore(sessionList);
  const [filter, setFilter] = useState("");
  const [layout, setLayout] = useState<Layout>(localStorage.getItem(LAYOUT_KEY) === "grid" ? "grid" : "list");
  const shownFilter = useDeferredValue(filter);
  const groups = groupSessions(views.filter((view) => matchesFilter(view, shownFilter)));
  const { isOn, ids } = useStore(selection);
  const shown = groups.flatMap((group) => group.views);
  // By reference, so that rows are not rendered again when the order changes.
  const order = useRef<readonly string[]>([]);
  useEffect(() => {
    order.current = shown.map(({ session }) => session.id);
  });
  useEffect(() => endSelection, []);
  const choose = (next: Layout): void => {
    endSelection();
    localStorage.setItem(LAYOUT_KEY, next);
    setLayout(next);
  };
  return (
    <main className="page" id="main">
      <PageHead
        title="Sessions"
        tools={
          <>
            <FilterField label="Filter sessions" value={filter} onChange={setFilter} />
            {layout === "list" && shown.length > 0 ? <SelectButton isOn={isOn} /> : null}
            <LayoutSwitch layout={layout} onChoose={choose} />
          </>
        }
      >
        <Counts views={views} />
      </PageHead>
      {isLoaded && views.length === 0 ? <NoSessions /> : null}
      {views.length > 0 && groups.length === 0 ? <p className="empty-line">No session matches “{filter}”.</p> : null}
      {layout === "grid" ? (
        <LiveGrid groups={groups} />
      ) : (
        groups.map((group) => (
          <GroupSection key={group.key} group={group} className="rows">
            {group.views.map((view) => (
              <SessionRow
                key={view.session.id}
                view={view}
                isSelected={isOn ? ids.has(view.session.id) : undefined}
                shown={order}
              />
            ))}
          </GroupSection>
        ))
      )}
      <MachineRows machines={machines} />
      <SelectionBar shown={shown} />
    </main>
  );
}

function Counts({ views }: { readonly views: readonly ListedSession[] }): ReactElement | null {
  if (views.length === 0) return null;
  const away = views.filter(({ standing }) => standing === "away").length;
  const ended = views.filter(({ session }) => session.endedAt !== null).length;
  return (
    <p className="counts">
      {views.length - away - ended} running, {away === 0 ? "" : `${away} out of reach, `}
      {ended} ended
    </p>
  );
}

function SelectButton({ isOn }: { readonly isOn: boolean }): ReactElement {
  return (
    <Button aria-pressed={isOn} title="Select sessions (X)" onClick={isOn ? endSelection : beginSelection}>
      Select
    </Button>
  );
}

interface LayoutSwitchProps {
  readonly layout: Layout;
  readonly onChoose: (layout: Layout) => void;
}

function LayoutSwitch({ layout, onChoose }: LayoutSwitchProps): ReactElement {
  return (
    <div className="switch" role="group" aria-label="Layout">
      {(["list", "grid"] as const).map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={layout === name}
          aria-label={name === "list" ? "List" : "Live screens"}
          title={name === "list" ? "List" : "Live screens"}
          onClick={() => onChoose(name)}
        >
          <Icon name={name} />
        </button>
      ))}
    </div>
  );
}

function NoSessions(): ReactElement {
  return (
    <div className="empty">
      <h2>No sessions yet</h2>
      <p>Start a program here, or type this in a terminal:</p>
      <pre>
        <code>lectern run --name work -- bash</code>
      </pre>
      <p>
        Any program works: a coding agent, a shell, a REPL, a build. It keeps running when you close this page, and its
        output is recorded.
      </p>
      <Button kind="primary" onClick={() => openDialog.set({ kind: "new" })}>
        New session
      </Button>
    </div>
  );
}

const machineStates: Readonly<Record<MachineInfo["state"], string>> = {
  unasked: "Not asked yet",
  connecting: "Connecting",
  connected: "Connected",
  away: "Out of reach",
};

/** The other machines whose sessions are in the list, each with its state and, if it is away, the reason. */
function MachineRows({ machines }: { readonly machines: readonly MachineInfo[] }): ReactElement | null {
  if (machines.length === 0) return null;
  return (
    <section className="group" aria-labelledby="group-machines">
      <h2 id="group-machines">
        Machines <span className="count">{machines.length}</span>
      </h2>
      <ul className="rows">
        {machines.map(({ name, address, state, reason, sinceMs }) => (
          <li key={name} className="machine-row" data-state={state}>
            <span className="machine-state">{machineStates[state]}</span>
            <b>{name}</b>
            <code className="note">{escapeForDisplay(address)}</code>
            <span className="note">
              <Ago sinceMs={sinceMs} />
            </span>
            {reason === null ? null : <p className="machine-reason">{escapeForDisplay(reason)}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}

// What can be done to the selected sessions.

/** `shown`: in the order of the list. */
function SelectionBar({ shown }: { readonly shown: readonly ListedSession[] }): ReactElement | null {
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
