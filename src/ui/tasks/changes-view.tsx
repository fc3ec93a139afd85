/** What the agent of a session changed against the base of its branch, by files, as it grows; and what becomes of it. */
import { useState, type KeyboardEvent, type ReactElement } from "react";
import type { Session } from "../../client.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { Button } from "../parts/button.tsx";
import { notify } from "../parts/notice.ts";
import { splitAddress } from "../../protocol/session-address.ts";
import { isLive } from "../sessions/session-actions.ts";
import { ChangedFileSection, isOpenAtFirst } from "./changed-file.tsx";
import type { DiffLayout } from "./diff-lines.tsx";
import { SendReview, useReview } from "./review.tsx";
import { TaskDialog, type TaskAction } from "./task-dialogs.tsx";
import { useChanges, type ChangedFile, type Changes } from "./use-changes.ts";

interface ChangesViewProps {
  readonly session: Session;
  readonly layout: DiffLayout;
  /** Beside others: the name stands above it. */
  readonly isOneOfSeveral: boolean;
  /** Something was committed, discarded or removed here. */
  readonly onDone: () => void;
}

export function ChangesView({ session, layout, isOneOfSeveral, onDone }: ChangesViewProps): ReactElement {
  const { changes, problem, refresh } = useChanges(session, isLive(session));
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const review = useReview(session.id);
  const [action, setAction] = useState<TaskAction>();
  /** The one file that is to be discarded, as it was shown then. */
  const [file, setFile] = useState<ChangedFile>();
  return (
    // The keys move between the headings, which are buttons.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div className="changes" onKeyDown={moveBetweenFiles}>
      {isOneOfSeveral ? <h2 className="changes-name">{session.name}</h2> : null}
      {problem === undefined ? null : (
        <p className="form-problem" role="alert">
          {problem}
        </p>
      )}
      {changes === undefined ? (
        problem === undefined ? (
          <div className="loading" role="status" aria-label="Loading" />
        ) : null
      ) : (
        <>
          <Summary changes={changes} />
          <Tools session={session} changes={changes} onAction={setAction} />
          {isLive(session) ? <SendReview session={session.id} review={review} /> : null}
          {changes.files.map((each, index) => {
            const isOpen = chosen.get(each.path) ?? isOpenAtFirst(each, index);
            return (
              <ChangedFileSection
                key={each.path}
                session={session.id}
                file={each}
                layout={layout}
                isOpen={isOpen}
                review={isLive(session) ? review : undefined}
                onToggle={() => setChosen(new Map(chosen).set(each.path, !isOpen))}
                onDiscard={() => {
                  setFile(each);
                  setAction("discard");
                }}
              />
            );
          })}
          <Rest changes={changes} />
        </>
      )}
      {action === undefined || changes === undefined ? null : (
        <TaskDialog
          action={action}
          session={session}
          changes={changes}
          file={file}
          onClose={(isDone) => {
            setAction(undefined);
            setFile(undefined);
            if (!isDone) return;
            refresh();
            onDone();
          }}
        />
      )}
    </div>
  );
}

function Summary({ changes }: { readonly changes: Changes }): ReactElement {
  const { branch, commits, total, uncommitted, worktree } = changes;
  const base = worktree.baseName ?? worktree.base.slice(0, 10);
  const parts = [
    total === 1 ? "1 file" : `${total.toLocaleString("en")} files`,
    `${uncommitted.total.toLocaleString("en")} not committed`,
    commits === 1 ? "1 commit" : `${commits} commits`,
  ];
  return (
    <p className="changes-summary" role="status">
      {total === 0 ? "No changes yet" : parts.join(", ")}
      <span className="note">
        {" "}
        on <code>{escapeForDisplay(branch ?? "no branch")}</code> against <code>{escapeForDisplay(base)}</code>
      </span>
    </p>
  );
}

interface ToolsProps {
  readonly session: Session;
  readonly changes: Changes;
  readonly onAction: (action: TaskAction) => void;
}

function Tools({ session, changes, onAction }: ToolsProps): ReactElement {
  const { uncommitted, worktree } = changes;
  const isHere = splitAddress(session.id).machine === undefined;
  const isNothing = uncommitted.total === 0;
  return (
    <div className="changes-tools">
      <Button kind="primary" disabled={isNothing} onClick={() => onAction("commit")}>
        Commit…
      </Button>
      <Button disabled={isNothing} onClick={() => onAction("discard")}>
        Discard…
      </Button>
      {changes.commits === 0 ? null : <Button onClick={() => onAction("merge")}>Merge…</Button>}
      {changes.commits === 0 ? null : <Button onClick={() => onAction("push")}>Push…</Button>}
      {isLive(session) ? null : <Button onClick={() => onAction("remove")}>Remove worktree…</Button>}
      {isHere && mayHaveEditor() ? (
        <a className="button" href={`vscode://file${worktree.path.split("/").map(encodeURIComponent).join("/")}`}>
          Open in VS Code
        </a>
      ) : null}
      <Button title={worktree.path} onClick={() => void copyPath(worktree.path)}>
        Copy path
      </Button>
    </div>
  );
}

const LOOPBACK = /^(?:localhost|127\.[\d.]+|\[::1\])$/;

/** A desktop, and by its address the machine of the daemon. A tunnel has such an address, too, so the path is offered as well. */
const mayHaveEditor = (): boolean => LOOPBACK.test(location.hostname) && matchMedia("(pointer: fine)").matches;

/** A page that is not secure has no clipboard. */
async function copyPath(path: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(path);
    notify("Copied the path");
  } catch {
    notify(`This browser does not copy here: ${escapeForDisplay(path)}`, "problem");
  }
}

function Rest({
  changes: { executedLater, files, innerRepositories, total },
}: {
  readonly changes: Changes;
}): ReactElement | null {
  const hidden = total - files.length;
  if (hidden <= 0 && innerRepositories.length === 0 && executedLater.length === 0) return null;
  return (
    <p className="note diff-note">
      {hidden > 0 ? `${hidden.toLocaleString("en")} more files are not listed. ` : ""}
      {innerRepositories.length > 0
        ? `Repositories inside, of which nothing is read: ${innerRepositories.map(escapeForDisplay).join(", ")}. `
        : ""}
      {executedLater.length > 0
        ? `Read first, a program executes it by itself: ${executedLater.map(({ by, path }) => `${escapeForDisplay(path)} (${by})`).join(", ")}`
        : ""}
    </p>
  );
}

/** J and K: the next and the previous file. */
function moveBetweenFiles(event: KeyboardEvent<HTMLElement>): void {
  const { altKey, ctrlKey, currentTarget, key, metaKey, target } = event;
  if (altKey || ctrlKey || metaKey || (key !== "j" && key !== "k")) return;
  if (target instanceof Element && target.closest("input, textarea, dialog") !== null) return;
  const heads = [...currentTarget.querySelectorAll<HTMLElement>(".changed-head")];
  const section = target instanceof Element ? target.closest(".changed-file") : null;
  const at = heads.findIndex((head) => head.closest(".changed-file") === section);
  const next = heads[at + (key === "j" ? 1 : -1)];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
  next.scrollIntoView({ block: "start" });
}
