/** Comments on lines of the changes of a session: gathered on this device, and sent to its agent as one prompt. */
import { useState, type FormEvent, type ReactElement } from "react";
import { reviewPrompt, type LineComment } from "../../core/diff/review.ts";
import type { PatchHunk, PatchLine } from "../../core/diff/patch.ts";
import { daemon, messageOf } from "../api.ts";
import { Button } from "../parts/button.tsx";
import { FormProblem } from "../parts/field.tsx";
import { formText } from "../parts/form-text.ts";
import { IconButton } from "../parts/icon-button.tsx";
import { notify } from "../parts/notice.ts";
import { displayLines } from "../parts/text.ts";

export interface Review {
  readonly comments: readonly LineComment[];
  readonly set: (comments: readonly LineComment[]) => void;
}

/** They stay until they are sent or removed, also if the page is closed. */
export function useReview(session: string): Review {
  const key = `lectern-review ${session}`;
  const [comments, setComments] = useState(() => stored(key));
  const set = (next: readonly LineComment[]): void => {
    setComments(next);
    if (next.length === 0) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(next));
  };
  return { comments, set };
}

function stored(key: string): readonly LineComment[] {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "[]") as LineComment[];
  } catch {
    return [];
  }
}

interface SendReviewProps {
  readonly session: string;
  readonly review: Review;
}

/** Nothing without comments. They are kept if the agent does not take the prompt. */
export function SendReview({ session, review: { comments, set } }: SendReviewProps): ReactElement | null {
  const [problem, setProblem] = useState<string>();
  if (comments.length === 0) return null;
  const send = async (): Promise<void> => {
    try {
      const { state, reason } = await daemon().call("sessions.prompt", { session, text: reviewPrompt(comments) });
      if (state === "failed") throw new Error(reason ?? "The prompt was not typed");
      set([]);
      notify(comments.length === 1 ? "Sent 1 comment" : `Sent ${comments.length} comments`);
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <>
      <div className="changes-tools">
        <Button kind="primary" onClick={() => void send()}>
          {comments.length === 1 ? "Send 1 comment" : `Send ${comments.length} comments`}
        </Button>
      </div>
      <FormProblem text={problem} />
    </>
  );
}

interface FileCommentsProps {
  readonly path: string;
  readonly hunks: readonly PatchHunk[];
  readonly review: Review;
  /** The line that was pressed; a comment on it is being written. */
  readonly chosen: PatchLine | undefined;
  readonly onClose: () => void;
}

/** The comments on one file, and the form for the next one. */
export function FileComments({ path, hunks, review, chosen, onClose }: FileCommentsProps): ReactElement {
  const { comments, set } = review;
  return (
    <>
      {comments
        .filter((comment) => comment.path === path)
        .map((comment) => (
          <p key={`${comment.line} ${comment.text}`} className="diff-comment">
            <span>
              Line {comment.line}: {displayLines(comment.text)}
            </span>
            <IconButton
              icon="close"
              label={`Remove the comment on line ${comment.line}`}
              onClick={() => set(comments.filter((other) => other !== comment))}
            />
          </p>
        ))}
      {chosen === undefined ? null : (
        <CommentForm
          key={`${chosen.oldNumber} ${chosen.newNumber}`}
          lines={hunks.flatMap(({ lines }) => lines)}
          chosen={chosen}
          onClose={onClose}
          onAdd={(comment) => {
            set([...comments, { path, ...comment }]);
            onClose();
          }}
        />
      )}
    </>
  );
}

interface CommentFormProps {
  readonly lines: readonly PatchLine[];
  readonly chosen: PatchLine;
  readonly onAdd: (comment: Omit<LineComment, "path">) => void;
  readonly onClose: () => void;
}

/** The number of the line can be changed, so that no line must be pressed with a mouse. */
function CommentForm({ lines, chosen, onAdd, onClose }: CommentFormProps): ReactElement {
  const [problem, setProblem] = useState<string>();
  const isRemoved = chosen.newNumber === null;
  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const number = Number(formText(form, "line"));
    const line = lines.find((each) => (isRemoved ? each.oldNumber : each.newNumber) === number);
    if (line === undefined) setProblem(`Line ${number} is not among those that are shown`);
    else onAdd({ line: number, isRemoved, code: line.text, text: formText(form, "comment") });
  };
  return (
    <form className="form diff-note" onSubmit={onSubmit}>
      <label className="field">
        <span>{isRemoved ? "Removed line" : "Line"}</span>
        <input
          name="line"
          type="number"
          min={1}
          required
          defaultValue={(isRemoved ? chosen.oldNumber : chosen.newNumber) ?? 1}
        />
      </label>
      <label className="field">
        <span>Comment</span>
        {/* Whoever has opened the form writes in it. */}
        {/* oxlint-disable-next-line jsx-a11y/no-autofocus */}
        <textarea name="comment" rows={2} required maxLength={4000} autoFocus />
      </label>
      <FormProblem text={problem} />
      <footer className="form-foot">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" kind="primary">
          Add comment
        </Button>
      </footer>
    </form>
  );
}
