/** Where a person writes to the program: several lines, what was sent before, and how far each prompt has come. */
import { useRef, useState, type KeyboardEvent, type ReactElement } from "react";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { Icon } from "../parts/icon.tsx";
import type { ListedSession } from "../sessions/attention.ts";
import { useStore } from "../store.ts";
import { PROMPT_STEPS, shownPrompts, stepsReached, type SentPrompt } from "./sent-prompt.ts";
import type { SentPrompts } from "./use-prompts.ts";

const ROWS_MAX = 10;

interface PromptBoxProps {
  readonly view: ListedSession;
  readonly prompts: SentPrompts;
}

export function PromptBox({ view, prompts }: PromptBoxProps): ReactElement {
  const { session } = view;
  const isBlocked = view.standing === "blocked";
  const [text, setText] = useDraft(session.id);
  const past = usePast(prompts);
  const send = async (): Promise<void> => {
    if (text.trim() === "") return;
    setText("");
    past.forget();
    const state = await prompts.send(text);
    // A refusal gives the words back, unless somebody has begun others.
    if (state === "refused") setText((now) => (now === "" ? text : now));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    const { key, shiftKey, nativeEvent, currentTarget } = event;
    if (nativeEvent.isComposing) return;
    const recalled = past.recall(key, currentTarget);
    if (key === "Enter" && !shiftKey) void send();
    else if (recalled !== undefined) setText(recalled);
    else return;
    event.preventDefault();
  };
  return (
    <form
      className="prompt"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <Receipts prompts={prompts} isBlocked={isBlocked} />
      {isBlocked ? (
        <p className="prompt-blocked" role="status">
          It waits for an answer: {escapeForDisplay(view.question ?? "it asks something")}
        </p>
      ) : null}
      <div className="prompt-box">
        <textarea
          aria-label={`Write to ${session.name}`}
          placeholder={isBlocked ? "Answer the question first" : "Write to it. Shift Enter for a new line."}
          rows={Math.min(ROWS_MAX, text.split("\n").length)}
          value={text}
          onKeyDown={onKeyDown}
          onChange={({ target }) => setText(target.value)}
        />
        <button type="submit" className="button primary" aria-label="Send" disabled={text.trim() === ""}>
          <Icon name="send" />
        </button>
      </div>
    </form>
  );
}

const words: Readonly<Record<Exclude<SentPrompt["state"], (typeof PROMPT_STEPS)[number][0]>, string>> = {
  sending: "On its way",
  refused: "Not taken, nothing was typed",
  unanswered: "Nobody knows whether the daemon has it. Sent again, it is typed once all the same",
  failed: "Failed",
  cancelled: "Cancelled, nothing was typed",
};
const wordsOf = ({ state }: SentPrompt): string =>
  PROMPT_STEPS.find(([step]) => step === state)?.[1] ?? words[state as keyof typeof words];

interface ReceiptsProps {
  readonly prompts: SentPrompts;
  /** The question is told apart. */
  readonly isBlocked: boolean;
}

function Receipts({ prompts, isBlocked }: ReceiptsProps): ReactElement {
  const shown = shownPrompts(useStore(prompts.list));
  return (
    <div className="receipts" role="status" aria-label="Prompts">
      {shown.map((prompt) => (
        <div key={prompt.key} className="receipt" data-state={prompt.state}>
          <span className="receipt-steps" aria-hidden="true">
            {PROMPT_STEPS.map(([step, title], index) => (
              <i key={step} title={title} data-reached={index < stepsReached(prompt)} />
            ))}
          </span>
          <strong>{wordsOf(prompt)}</strong>
          <span className="receipt-text">{escapeForDisplay(prompt.text.split("\n", 1)[0] ?? "")}</span>
          {prompt.reason === null || (isBlocked && prompt.state === "working") ? null : (
            <span className="receipt-reason">{escapeForDisplay(prompt.reason)}</span>
          )}
          {prompt.state === "accepted" ? (
            <span className="receipt-choices">
              <button type="button" className="button" onClick={() => void prompts.cancel(prompt.key)}>
                Cancel
              </button>
            </span>
          ) : null}
          {prompt.state === "unanswered" ? (
            <span className="receipt-choices">
              <button type="button" className="button" onClick={() => void prompts.send(prompt.text, prompt.key)}>
                Send again
              </button>
              <button type="button" className="button" onClick={() => prompts.dismiss(prompt.key)}>
                Forget it
              </button>
            </span>
          ) : null}
        </div>
      ))}
    </div>
  );
}

/** What is being written, kept over a reload. */
function useDraft(session: string): readonly [string, (change: string | ((before: string) => string)) => void] {
  const place = `lectern-draft-${session}`;
  const [text, setText] = useState(() => sessionStorage.getItem(place) ?? "");
  const change = (wanted: string | ((before: string) => string)): void =>
    setText((before) => {
      const next = typeof wanted === "string" ? wanted : wanted(before);
      sessionStorage.setItem(place, next);
      return next;
    });
  return [text, change];
}

interface Past {
  /** Up on the first line and down on the last one go through what was sent before; undefined for any other key. */
  readonly recall: (key: string, element: HTMLTextAreaElement) => string | undefined;
  readonly forget: () => void;
}

function usePast(prompts: SentPrompts): Past {
  /** How many steps back; 0 is what is being written. */
  const at = useRef(0);
  const step = (direction: -1 | 1): string | undefined => {
    const next = at.current - direction;
    if (next < 0 || next > prompts.past.length) return undefined;
    at.current = next;
    return next === 0 ? "" : prompts.past.at(-next);
  };
  return {
    recall: (key, { value, selectionStart }) => {
      if (key === "ArrowUp" && !value.slice(0, selectionStart).includes("\n")) return step(-1);
      if (key === "ArrowDown" && !value.slice(selectionStart).includes("\n")) return step(1);
      return undefined;
    },
    forget: () => {
      at.current = 0;
    },
  };
}
