/** A question to a person with its exact options. The same in a conversation, in the list of all questions and on a phone. */
import { useState, type ReactElement } from "react";
import type { Approval, ApprovalOption } from "../../core/dialogs/approval.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { daemon } from "../api.ts";
import { Code } from "../parts/code.tsx";
import { readableDetails } from "../sessions/question-details.ts";
import { act } from "../sessions/session-actions.ts";

interface ApprovalCardProps {
  readonly approval: Approval;
  /** Its id. */
  readonly session: string;
}

/** What a person would press in the dialog of the program; a longer one is only a name. */
const KEY_CHARS_MAX = 2;

const kinds: Readonly<Record<Approval["kind"], string>> = {
  permission: "Asks for permission",
  trust: "Asks for trust",
  question: "Asks",
  login: "Wants a login",
};

export function ApprovalCard({ approval, session }: ApprovalCardProps): ReactElement {
  const { id, digest = "", question, details, options, selected, state, kind, agent } = approval;
  const [chosen, setChosen] = useState<string>();
  const answer = async (option: ApprovalOption): Promise<void> => {
    setChosen(option.id);
    const done = await act(`Answered: ${option.label}`, () =>
      daemon().call("approvals.answer", { session, approval: id, option: option.id, digest }),
    );
    if (!done) setChosen(undefined);
  };
  return (
    <article className="approval" data-state={state} aria-label={question}>
      <p className="approval-kind">
        {agent ?? "The program"}: {kinds[kind].toLowerCase()}
      </p>
      <p className="approval-question">{escapeForDisplay(question)}</p>
      {details === "" ? null : <Code text={readableDetails(details)} />}
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
        <p className="approval-answer">{answerWords(approval)}</p>
      )}
    </article>
  );
}

function answerWords({ state, answer, options }: Approval): string {
  if (state === "gone" || answer === null) return "It went by itself.";
  const label = options.find(({ id }) => id === answer.option)?.label ?? "Answered";
  return `${label}, by ${answer.by}`;
}
