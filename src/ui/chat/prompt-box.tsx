/** Where a person writes to the program: several lines, what was sent before, and how far the last one has come. */
import { useRef, useState, type KeyboardEvent, type ReactElement } from "react";
import { daemon, messageOf } from "../api.ts";
import { Icon } from "../parts/icon.tsx";
import type { SessionView } from "../sessions/attention.ts";
import type { Conversation } from "./conversation.ts";
import { stageOf, type Receipt, type ReceiptStage } from "./receipt.ts";

const HISTORY_MAX = 50;

const words: Readonly<Record<ReceiptStage, string>> = {
  sending: "On its way",
  accepted: "Given to the program",
  echoed: "Seen on its screen",
  working: "It works on it",
  done: "Done",
  failed: "Not sent",
};

interface PromptBoxProps {
  readonly view: SessionView;
  readonly conversation: Conversation;
}

export function PromptBox({ view, conversation }: PromptBoxProps): ReactElement {
  const { session } = view;
  const isBlocked = view.standing === "blocked";
  const [text, setText] = useState("");
  const [sent, setSent] = useState<Receipt>();
  const past = useHistory(session.id);
  const stage = sent === undefined ? undefined : stageOf(sent, conversation.items, conversation.statuses);
  const send = async (): Promise<void> => {
    const given = text;
    if (given.trim() === "" || isBlocked) return;
    setText("");
    past.add(given);
    const made: Receipt = { stage: "sending", text: given, next: undefined, problem: undefined };
    setSent(made);
    try {
      const paste = given.includes("\n");
      const { next } = await daemon().call("sessions.input", { session: session.id, text: given, paste, enter: true });
      setSent({ ...made, stage: "accepted", next });
    } catch (error) {
      setSent({ ...made, stage: "failed", problem: messageOf(error) });
      setText(given);
    }
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    const { key, shiftKey, nativeEvent, currentTarget } = event;
    if (nativeEvent.isComposing) return;
    const recalled = recallOf(key, currentTarget, past);
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
      <PromptState
        stage={stage}
        problem={sent?.problem}
        question={isBlocked ? (view.question ?? "It asks something") : undefined}
      />
      <div className="prompt-box">
        <textarea
          aria-label={`Write to ${session.name}`}
          placeholder={isBlocked ? "Answer the question first" : "Write to it. Shift Enter for a new line."}
          rows={Math.min(10, text.split("\n").length)}
          value={text}
          disabled={isBlocked}
          onKeyDown={onKeyDown}
          onChange={({ target }) => setText(target.value)}
        />
        <button type="submit" className="button primary" aria-label="Send" disabled={isBlocked || text.trim() === ""}>
          <Icon name="send" />
        </button>
      </div>
    </form>
  );
}

interface PromptStateProps {
  readonly stage: ReceiptStage | undefined;
  readonly problem: string | undefined;
  readonly question: string | undefined;
}

function PromptState({ stage, problem, question }: PromptStateProps): ReactElement {
  return (
    <p className="prompt-state" role="status" data-stage={stage}>
      {question === undefined ? null : <strong>It waits for an answer: {question}</strong>}
      {question === undefined && stage !== undefined ? words[stage] : null}
      {problem === undefined ? null : `: ${problem}`}
    </p>
  );
}

interface PromptHistory {
  readonly add: (text: string) => void;
  /** -1 is the one before; undefined where there is none. */
  readonly step: (direction: -1 | 1) => string | undefined;
}

/** Up on the first line and down on the last one go through what was sent before. */
function recallOf(
  key: string,
  { value, selectionStart }: HTMLTextAreaElement,
  past: PromptHistory,
): string | undefined {
  if (key === "ArrowUp" && !value.slice(0, selectionStart).includes("\n")) return past.step(-1);
  if (key === "ArrowDown" && !value.slice(selectionStart).includes("\n")) return past.step(1);
  return undefined;
}

function useHistory(session: string): PromptHistory {
  const key = `lectern-prompts-${session}`;
  const at = useRef(0);
  const read = (): string[] => {
    try {
      const list: unknown = JSON.parse(sessionStorage.getItem(key) ?? "[]");
      return Array.isArray(list) ? list.map(String) : [];
    } catch {
      return [];
    }
  };
  return {
    add: (text) => {
      sessionStorage.setItem(key, JSON.stringify([...read(), text].slice(-HISTORY_MAX)));
      at.current = 0;
    },
    step: (direction) => {
      const list = read();
      const next = at.current + (direction === -1 ? 1 : -1);
      if (next < 0 || next > list.length) return undefined;
      at.current = next;
      return next === 0 ? "" : list.at(-next);
    },
  };
}
