/** A question with its exact options, in a conversation and in the list of all questions. */
import { useState, type ReactElement } from "react";
import type { Approval, ApprovalOption } from "../../core/dialogs/approval.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { daemon } from "../api.ts";
import { Code } from "../parts/code.tsx";
import { readableDetails } from "../sessions/question-details.ts";
import { act } from "../sessions/session-actions.ts";

interface ApprovalCardProps {
  readonly approval: Approval;
  /** Id of the session. */
  readonly session: string;
}

/** Shorter option ids are the keys of the program's dialog and are shown; longer ones are only names. */
const KEY_CHARS_MAX = 2;

const kinds: Readonly<Record<Approval["kind"], string>> = {
  permission: "Asks for permission",
  trust: "Asks for trust",
  question: "Asks",
  login: "Asks for a login",
};

export function ApprovalCard({ approval, session }: ApprovalCardProps): ReactElement {
  const { id, digest = "", question, details, options, selected, state, kind, agent, directory, reason } = approval;
  const matter = approval.command ?? approval.change ?? (details === "" ? undefined : readableDetails(details));
  const [chosen, setChosen] = useState<string>();
  const answer = async (option: ApprovalOption): Promise<void> => {
    setChosen(option.id);
    const done = await act(`Answered: ${option.label}`, () =>
      daemon().call("approvals.answer", { session, approval: id, option: option.id, digest }),
    );
    if (!done) setChosen(undefined);
  };
  return (
    <article className="approval panel" data-state={state} aria-label={question}>
      <p className="note">
        {agent ?? "The program"}: {kinds[kind].toLowerCase()}
      </p>
      {matter === undefined ? null : <Code text={matter} />}
      <p className="approval-question">{escapeForDisplay(question)}</p>
      {reason === null ? null : <p className="note">Reason: {escapeForDisplay(reason)}</p>}
      {directory === null ? null : <p className="note">In {escapeForDisplay(directory)}</p>}
      {approval.isComplete ? null : <p className="note">Not all of it is shown: see the terminal.</p>}
      {state === "open" ? (
        <div className="approval-options" role="group" aria-label="Answers">
          {options.map((option) => (
            <button
              key={option.id}
              type="button"
              className="button"
              data-effect={option.effect}
              data-marked={option.id === selected}
              disabled={chosen !== undefined}
              onClick={() => void answer(option)}
            >
              {option.id.length <= KEY_CHARS_MAX ? <kbd>{option.id}</kbd> : null}
              {escapeForDisplay(option.label)}
            </button>
          ))}
        </div>
      ) : (
        <p className="note">{state === "hint" ? hintText(approval) : answerText(approval)}</p>
      )}
    </article>
  );
}

const hintText = ({ whyHint }: Approval): string =>
  `A hint, which cannot be answered: ${whyHint ?? "nobody reads it"}.`;

function answerText({ state, answer, options }: Approval): string {
  if (state === "gone" || answer === null) return "It was withdrawn.";
  const label = options.find(({ id }) => id === answer.option)?.label ?? "Answered";
  return `${label}, by ${answer.by}`;
}
