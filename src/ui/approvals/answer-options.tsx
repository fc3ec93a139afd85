/** The exact options of a question as buttons. An answer is bound to what is shown: if the question changes, the daemon refuses it. */
import { Button } from "../parts/button.tsx";
import { useRef, useState, type MouseEvent, type ReactElement } from "react";
import type { Approval, ApprovalOption } from "../../core/dialogs/approval.ts";
import { labelOf } from "../../core/dialogs/choices.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { daemon } from "../api.ts";
import { access, canAct } from "../sessions/access.ts";
import { useStore } from "../store.ts";
import { act } from "../sessions/session-actions.ts";

interface AnswerOptionsProps {
  readonly approval: Approval;
  /** Id of the session. */
  readonly session: string;
  readonly className: string;
}

/** Shorter option ids are the keys of the program's dialog and are shown; longer ones are only names. */
const KEY_CHARS_MAX = 2;

/** A tap beside the wanted button is taken back in this time. */
const UNDO_MS = 3000;

/** Not that of `[y/N]`, which is the label. */
const isShownKey = ({ id, label }: ApprovalOption): boolean =>
  id.length <= KEY_CHARS_MAX && id.toLowerCase() !== label.toLowerCase();

export function AnswerOptions({ approval, session, className }: AnswerOptionsProps): ReactElement {
  const { id, digest = "", options, question, selected } = approval;
  const mayAct = canAct(useStore(access));
  const [chosen, setChosen] = useState<string>();
  const [tapped, setTapped] = useState<ApprovalOption>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const answer = async (option: ApprovalOption): Promise<void> => {
    setTapped(undefined);
    setChosen(option.id);
    const done = await act(`Answered: ${option.label}`, () =>
      daemon().call("approvals.answer", { session, approval: id, option: option.id, digest }),
    );
    if (!done) setChosen(undefined);
  };
  const press = (option: ApprovalOption, { nativeEvent }: MouseEvent): void => {
    if (!(nativeEvent instanceof PointerEvent) || nativeEvent.pointerType !== "touch") return void answer(option);
    setTapped(option);
    // It is also sent if the person goes to another view.
    timer.current = setTimeout(() => void answer(option), UNDO_MS);
  };
  const undo = (): void => {
    clearTimeout(timer.current);
    setTapped(undefined);
  };
  return (
    <div className={className} role="group" aria-label={`Answers to: ${escapeForDisplay(question)}`}>
      {options.map((option) => (
        <Button
          key={option.id}
          data-effect={option.effect}
          data-marked={option.id === selected}
          disabled={chosen !== undefined || tapped !== undefined || !mayAct}
          onClick={(event) => press(option, event)}
        >
          {isShownKey(option) ? <kbd>{option.id}</kbd> : null}
          {escapeForDisplay(labelOf(option))}
        </Button>
      ))}
      {tapped === undefined ? null : (
        <Button className="undo" onClick={undo}>
          Undo: {escapeForDisplay(labelOf(tapped))}
        </Button>
      )}
    </div>
  );
}
