/** Commit, merge, push, discard and remove. What is lost is named, and exactly that is lost. */
import { useCallback, useState, type ReactElement } from "react";
import type { OutputOf, Session } from "../../client.ts";
import { conflictPrompt } from "../../core/diff/review.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { daemon } from "../api.ts";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { formText } from "../parts/form-text.ts";
import { notify } from "../parts/notice.ts";
import { act, isLive } from "../sessions/session-actions.ts";
import { useAnswer } from "../use-answer.ts";
import type { ChangedFile, Changes } from "./use-changes.ts";

export type TaskAction = "commit" | "merge" | "push" | "discard" | "remove";

const NAMES_MAX = 12;

interface TaskDialogProps {
  readonly action: TaskAction;
  readonly session: Session;
  readonly changes: Changes;
  /** Discards only this. */
  readonly file: ChangedFile | undefined;
  readonly onClose: (isDone: boolean) => void;
}

export function TaskDialog(props: TaskDialogProps): ReactElement {
  const { action, changes, file, session, onClose } = props;
  const named = file === undefined ? changes.uncommitted : { files: [file.path], total: 1 };
  const [conflicts, setConflicts] = useState<Conflicts>();
  const submit = async (form: FormData): Promise<void> => {
    if (action === "merge") {
      const { checkout, commit, ...found } = await merge(session.id, changes, form);
      if (commit === null) return setConflicts(found);
      notify(`Merged into ${found.into}${checkout === null ? "" : `, in ${checkout}`}`);
    } else notify(await run(action, { session: session.id, changes, file, form }));
    onClose(true);
  };
  const ask = async ({ into }: Conflicts): Promise<void> => {
    const prompt = { session: session.id, text: conflictPrompt(into) };
    const asked = "Asked the agent to resolve the conflicts";
    if (await act(asked, () => daemon().call("sessions.prompt", prompt))) onClose(false);
  };
  const titles = {
    commit: "Commit",
    merge: "Merge",
    push: "Push",
    discard: "Discard changes of",
    remove: "Remove the worktree of",
  };
  const answers = { commit: "Commit", merge: "Merge", push: "Push", discard: "Discard", remove: "Remove" };
  return (
    <FormDialog
      title={`${titles[action]} ${session.name}`}
      answer={answers[action]}
      isDangerous={action === "discard" || action === "remove"}
      onSubmit={submit}
      onClose={() => onClose(false)}
    >
      {action === "commit" ? <CommitFields /> : null}
      {action === "merge" ? <MergeFields changes={changes} /> : null}
      {action === "push" ? <PushFields changes={changes} /> : null}
      {action === "remove" ? <RemoveFields session={session.id} changes={changes} /> : null}
      {action === "merge" || action === "push" ? null : (
        <Names
          title={action === "commit" ? "Committed:" : "Lost, and not to be had back:"}
          names={named.files}
          total={named.total}
        />
      )}
      {conflicts === undefined ? null : (
        <div role="alert">
          <Names
            title={`Nothing is merged. Both ${conflicts.into} and the agent have changed:`}
            names={conflicts.conflicts}
            total={conflicts.conflicts.length}
          />
          {isLive(session) ? <Button onClick={() => void ask(conflicts)}>Ask the agent to resolve them</Button> : null}
        </div>
      )}
    </FormDialog>
  );
}

interface TaskRequest {
  readonly session: string;
  readonly changes: Changes;
  readonly file: ChangedFile | undefined;
  readonly form: FormData;
}

type Conflicts = Pick<OutputOf<"tasks.merge">, "into" | "conflicts">;

async function merge(session: string, { fingerprint }: Changes, form: FormData): Promise<OutputOf<"tasks.merge">> {
  return await daemon().call("tasks.merge", { session, into: formText(form, "into"), confirm: fingerprint });
}

/** Resolves with what was done. */
async function run(
  action: Exclude<TaskAction, "merge">,
  { session, changes, file, form }: TaskRequest,
): Promise<string> {
  const confirm = changes.fingerprint;
  if (action === "commit") {
    const message = formText(form, "message");
    const hooks = form.get("hooks") !== null;
    const { branch, commit } = await daemon().call("tasks.commit", { session, message, hooks, confirm });
    return `Committed ${commit.slice(0, 10)} on ${branch}`;
  }
  if (action === "push") {
    const pullRequest = form.get("pull-request") !== null;
    const pushed = await daemon().call("tasks.push", {
      session,
      remote: formText(form, "remote"),
      pullRequest,
      confirm,
    });
    return pushed.pullRequest ?? [`Pushed ${pushed.branch} to ${pushed.address}`, pushed.answer].join("\n").trim();
  }
  if (action === "discard") {
    const wanted = file === undefined ? { confirm } : { path: file.path, confirm: file.version };
    const { files } = await daemon().call("tasks.discard", { session, ...wanted });
    return file === undefined ? `Discarded the changes of ${files} files` : `Discarded the changes of ${file.path}`;
  }
  const force = changes.uncommitted.total > 0;
  const branch = form.get("delete") === null ? "merged" : "delete";
  const removed = await daemon().call("tasks.remove", { session, force, branch });
  return `Removed the worktree; the branch ${removed.branch} ${removed.isBranchRemoved ? "is removed, too" : "is kept"}`;
}

function PushFields({ changes }: Pick<TaskDialogProps, "changes">): ReactElement {
  const { branch, baseName } = changes.worktree;
  return (
    <>
      <Field
        name="remote"
        label={`Push ${escapeForDisplay(branch)} to the remote`}
        defaultValue="origin"
        isRequired
        isCode
      />
      {baseName === null ? null : (
        <label className="check">
          <input type="checkbox" name="pull-request" />
          <span>
            Open a pull request into {escapeForDisplay(baseName)}
            <small className="note">By gh on the machine of the session, or by GitLab itself.</small>
          </span>
        </label>
      )}
    </>
  );
}

function CommitFields(): ReactElement {
  return (
    <>
      <label className="field">
        <span>Message</span>
        <textarea name="message" rows={3} required />
      </label>
      <label className="check">
        <input type="checkbox" name="hooks" />
        <span>
          Run hooks and filters
          <small className="note">They are programs of the repository, and the agent may have written them.</small>
        </span>
      </label>
    </>
  );
}

function MergeFields({ changes: { commits, worktree } }: { readonly changes: Changes }): ReactElement {
  return (
    <>
      <p>
        {commits === 1 ? "1 commit" : `${commits} commits`} of <code>{escapeForDisplay(worktree.branch)}</code>. Where
        the other branch is checked out, its files follow.
      </p>
      <Field name="into" label="Into" defaultValue={worktree.baseName ?? ""} isRequired isCode />
    </>
  );
}

function RemoveFields({ session, changes }: { readonly session: string; readonly changes: Changes }): ReactElement {
  const { commits, worktree } = changes;
  const ask = useCallback(
    async (signal: AbortSignal) => await daemon().call("tasks.ignored", { session }, { signal }),
    [session],
  );
  const { value: ignored } = useAnswer(ask);
  return (
    <>
      <p>
        <code>{escapeForDisplay(worktree.path)}</code> is removed. The branch{" "}
        <code>{escapeForDisplay(worktree.branch)}</code> is kept until it is merged.
      </p>
      {ignored === undefined ? null : (
        <Names title="Removed with it, because git ignores them:" names={ignored.files} total={ignored.total} />
      )}
      {commits === 0 ? null : (
        <label className="check">
          <input type="checkbox" name="delete" />
          <span>
            Remove the branch, too
            <small className="note">
              {commits === 1 ? "Its commit is lost" : `Its ${commits} commits are lost`} if they are nowhere else.
            </small>
          </span>
        </label>
      )}
    </>
  );
}

interface NamesProps {
  readonly title: string;
  readonly names: readonly string[];
  readonly total: number;
}

function Names({ title, names, total }: NamesProps): ReactElement | null {
  if (total === 0) return null;
  const shown = names.slice(0, NAMES_MAX);
  return (
    <div className="task-names">
      <p>{title}</p>
      <ul>
        {shown.map((name) => (
          <li key={name}>
            <code>{escapeForDisplay(name)}</code>
          </li>
        ))}
      </ul>
      {total > shown.length ? <p className="note">and {(total - shown.length).toLocaleString("en")} more</p> : null}
    </div>
  );
}
