/** A question with its exact options, in a conversation and in the list of all questions. */
import type { ReactElement } from "react";
import type { Approval } from "../../core/dialogs/approval.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { Code } from "../parts/code.tsx";
import { readableDetails } from "../sessions/question-details.ts";
import { AnswerOptions } from "./answer-options.tsx";

interface ApprovalCardProps {
  readonly approval: Approval;
  /** Id of the session. */
  readonly session: string;
}

const kinds: Readonly<Record<Approval["kind"], string>> = {
  permission: "Asks for permission",
  trust: "Asks for trust",
  question: "Asks",
  login: "Asks for a login",
};

export function ApprovalCard({ approval, session }: ApprovalCardProps): ReactElement {
  const { question, details, state, kind, agent, directory, reason } = approval;
  const matter = approval.command ?? approval.change ?? (details === "" ? undefined : readableDetails(details));
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
        <AnswerOptions approval={approval} session={session} className="approval-options" />
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
