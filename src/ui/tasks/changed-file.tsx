/** One file that an agent changed: its name, its counts, and its patch when it is open. */
import { useState, type ReactElement } from "react";
import type { PatchHunk, PatchLine } from "../../core/diff/patch.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { IconButton } from "../parts/icon-button.tsx";
import { DiffLines, type DiffLayout } from "./diff-lines.tsx";
import { FileComments, type Review } from "./review.tsx";
import { usePatch, type ChangedFile } from "./use-changes.ts";

const words: Readonly<Record<ChangedFile["type"], string>> = {
  added: "new",
  changed: "changed",
  removed: "removed",
  renamed: "renamed",
  "type-changed": "other kind",
};

/** Lines of a change that is open without being asked for. */
const OPEN_LINES_MAX = 400;
const OPEN_FILES_MAX = 20;

/** Whether the file is open before anybody chose. */
export const isOpenAtFirst = (file: ChangedFile, index: number): boolean =>
  index < OPEN_FILES_MAX && !file.isBinary && file.added !== null && file.added + (file.removed ?? 0) <= OPEN_LINES_MAX;

interface ChangedFileProps {
  readonly session: string;
  readonly file: ChangedFile;
  readonly layout: DiffLayout;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onDiscard: () => void;
  /** Undefined where nobody reads comments. */
  readonly review: Review | undefined;
}

export function ChangedFileSection(props: ChangedFileProps): ReactElement {
  const { session, file, layout, isOpen, onToggle, onDiscard, review } = props;
  const { added, from, isBinary, isCommitted, isSubmodule, path, removed, type } = file;
  const name = escapeForDisplay(from === null ? path : `${from} → ${path}`);
  return (
    <section className="changed-file panel">
      <h3 className="changed-row">
        <button type="button" className="changed-head" aria-expanded={isOpen} data-file={path} onClick={onToggle}>
          <Icon name={isOpen ? "down" : "forward"} />
          <span className="changed-name">{name}</span>
          <span className="changed-kind">
            {isSubmodule ? "submodule" : isBinary ? `${words[type]}, binary` : words[type]}
          </span>
          {added === null ? null : (
            <span className="changed-counts">
              <span className="changed-added">+{added}</span> <span className="changed-removed">-{removed}</span>
            </span>
          )}
          {isCommitted ? <span className="changed-kind">committed</span> : null}
        </button>
        {isCommitted || isSubmodule ? null : (
          <IconButton
            icon="undo"
            label={`Discard ${name}…`}
            title="Discard what is not committed"
            onClick={onDiscard}
          />
        )}
      </h3>
      {isOpen ? <Patch session={session} file={file} layout={layout} name={name} review={review} /> : null}
    </section>
  );
}

interface PatchProps extends Pick<ChangedFileProps, "session" | "file" | "layout" | "review"> {
  readonly name: string;
}

function Patch({ session, file, layout, name, review }: PatchProps): ReactElement {
  const { value, problem } = usePatch(session, file);
  const [chosen, setChosen] = useState<PatchLine>();
  if (problem !== undefined) return <p className="form-problem">{problem}</p>;
  if (value === undefined) return <div className="loading" role="status" aria-label="Loading" />;
  const { hunks, isCut } = value;
  if (hunks.length === 0) {
    const empty = file.isBinary ? "A binary or very large file: its content is not shown." : "No lines differ.";
    return <p className="note diff-note">{empty}</p>;
  }
  return (
    <>
      <DiffLines
        hunks={hunks}
        layout={layout}
        label={`Changes of ${name}`}
        onLine={review === undefined ? undefined : setChosen}
      />
      {isCut ? <p className="note diff-note">Cut after 512 KB: “lectern task diff” shows all of it.</p> : null}
      {review === undefined ? null : (
        <>
          <FileComments
            path={file.path}
            hunks={hunks}
            review={review}
            chosen={chosen}
            onClose={() => setChosen(undefined)}
          />
          {chosen === undefined ? (
            <p className="diff-note">
              <Button onClick={() => setChosen(firstChanged(hunks))}>Comment on a line…</Button>
            </p>
          ) : null}
        </>
      )}
    </>
  );
}

const firstChanged = (hunks: readonly PatchHunk[]): PatchLine | undefined => {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return lines.find(({ kind }) => kind === "added") ?? lines.find(({ newNumber }) => newNumber !== null) ?? lines[0];
};
