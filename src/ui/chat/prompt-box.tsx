/** The input box for prompts, with earlier prompts and the progress of each sent one. */
import { useRef, useState, type KeyboardEvent, type ReactElement } from "react";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { filesOf, uploadFiles } from "../files/upload.ts";
import { FileButton, Uploads } from "../files/uploads.tsx";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import type { ListedSession } from "../sessions/attention.ts";
import { useStore } from "../store.ts";
import { PROMPT_STEPS, scheduledText, shownPrompts, stepsReached, type SentPrompt } from "./sent-prompt.ts";
import type { SentPrompts } from "./use-prompts.ts";

const ROWS_MAX = 10;
/** Those of a touch screen have no Shift Enter. */
const hasKeyboard = matchMedia("(pointer: fine)").matches;

interface PromptBoxProps {
  readonly view: ListedSession;
  readonly prompts: SentPrompts;
}

export function PromptBox({ view, prompts }: PromptBoxProps): ReactElement {
  const { session } = view;
  const isBlocked = view.standing === "blocked";
  // Without an agent a shell runs it, as the placeholder tells.
  const shell = (session.status?.agent ?? null) === null;
  const [text, setText] = useDraft(session.id);
  const past = usePast(prompts);
  const box = useRef<HTMLTextAreaElement>(null);
  const addFiles = (files: readonly File[]): void => {
    const at = box.current?.selectionStart ?? text.length;
    let inserted = 0;
    void uploadFiles(session, files, (path) => {
      setText((now) => {
        const place = Math.min(now.length, at + inserted);
        const before = now.slice(0, place);
        const piece = `${/\S$/.test(before) ? " " : ""}${path} `;
        inserted += piece.length;
        return before + piece + now.slice(place);
      });
    });
  };
  /** Text is pasted and dropped by the browser. */
  const takeFiles = (event: ClipboardEvent | DragEvent, data: DataTransfer | null): void => {
    const files = filesOf(data);
    if (files.length === 0) return;
    event.preventDefault();
    addFiles(files);
  };
  const send = async (): Promise<void> => {
    if (text.trim() === "") return;
    setText("");
    past.forget();
    const state = await prompts.send(text, { shell });
    // Restore the text of a refused prompt, unless another one has been started.
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
      <Receipts prompts={prompts} isBlocked={isBlocked} shell={shell} />
      <Uploads session={session.id} />
      <div className="prompt-box">
        <FileButton onFiles={addFiles} />
        <textarea
          ref={box}
          aria-label={`Write to ${session.name}`}
          placeholder={
            isBlocked
              ? "Answer the question first"
              : `Write a ${shell ? "command" : "prompt"}${hasKeyboard ? ". Shift Enter for a new line." : ""}`
          }
          rows={Math.min(ROWS_MAX, text.split("\n").length)}
          value={text}
          onKeyDown={onKeyDown}
          onPaste={(event) => takeFiles(event.nativeEvent, event.clipboardData)}
          onDrop={(event) => takeFiles(event.nativeEvent, event.dataTransfer)}
          onChange={({ target }) => setText(target.value)}
        />
        <Button type="submit" kind="primary" aria-label="Send" disabled={text.trim() === ""}>
          <Icon name="send" />
        </Button>
      </div>
    </form>
  );
}

const stateTexts: Readonly<
  Record<Exclude<SentPrompt["state"], (typeof PROMPT_STEPS)[number][0] | "scheduled">, string>
> = {
  sending: "Sending",
  refused: "Refused, nothing was typed",
  unanswered: "Unknown whether the daemon received it. Sending again is safe: it is typed only once",
  failed: "Failed",
  cancelled: "Cancelled, nothing was typed",
};
const stateText = ({ state, ...prompt }: SentPrompt): string =>
  state === "scheduled"
    ? scheduledText(prompt, Date.now())
    : (PROMPT_STEPS.find(([step]) => step === state)?.[1] ?? stateTexts[state as keyof typeof stateTexts]);

interface ReceiptsProps {
  readonly prompts: SentPrompts;
  /** The question is shown separately. */
  readonly isBlocked: boolean;
  readonly shell: boolean;
}

function Receipts({ prompts, isBlocked, shell }: ReceiptsProps): ReactElement {
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
          <strong>{stateText(prompt)}</strong>
          <span className="receipt-text truncate">{escapeForDisplay(prompt.text.split("\n", 1)[0] ?? "")}</span>
          {prompt.reason === null || (isBlocked && prompt.state === "working") ? null : (
            <span className="receipt-reason">{escapeForDisplay(prompt.reason)}</span>
          )}
          {prompt.state === "accepted" || prompt.state === "scheduled" ? (
            <span className="receipt-choices">
              <Button onClick={() => void prompts.cancel(prompt.key)}>Cancel</Button>
            </span>
          ) : null}
          {prompt.state === "unanswered" ? (
            <span className="receipt-choices">
              <Button onClick={() => void prompts.send(prompt.text, { shell, key: prompt.key })}>Send again</Button>
              <Button onClick={() => prompts.dismiss(prompt.key)}>Dismiss</Button>
            </span>
          ) : null}
        </div>
      ))}
    </div>
  );
}

/** The text of the box, kept across reloads. */
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
  /** Up on the first line and Down on the last one step through earlier prompts; undefined for any other key. */
  readonly recall: (key: string, element: HTMLTextAreaElement) => string | undefined;
  readonly forget: () => void;
}

function usePast(prompts: SentPrompts): Past {
  /** Number of steps back; 0 is the current text. */
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
