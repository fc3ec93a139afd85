/** The prompts that this page sends to a session, each with its own key, and their receipts. Stored across reloads. */
import { useMemo } from "react";
import { LecternError, type ErrorCode } from "../../core/errors.ts";
import type { Receipt } from "../../core/acting/receipt.ts";
import { daemon, messageOf } from "../api.ts";
import { notify } from "../parts/notice.ts";
import { storedList } from "../parts/parsed.ts";
import { ValueStore } from "../store.ts";
import {
  keptPrompts,
  promptsAfterLoad,
  withPrompt,
  withReceipt,
  type KeptPrompt,
  type SentPrompt,
} from "./sent-prompt.ts";

const KEY_BYTES = 12;
/** After these errors, it is unknown whether the daemon received the prompt. */
const noAnswers: ReadonlySet<ErrorCode> = new Set(["CANCELLED", "DAEMON_UNREACHABLE", "INTERNAL", "MALFORMED"]);

export class SentPrompts {
  readonly list = new ValueStore<readonly SentPrompt[]>([]);
  /** Earlier prompts of the session, by any client, oldest first. */
  past: readonly string[] = [];
  readonly #session: string;
  #isLoaded = false;

  constructor(session: string) {
    this.#session = session;
    this.list.subscribe(() => this.#keep());
  }

  /** Applies a receipt. */
  readonly learn = (receipt: Receipt): void => this.list.set(withReceipt(this.list.get(), receipt));

  /** Loads all receipts: at first, and again after a time without updates. */
  readonly load = async (signal: AbortSignal): Promise<void> => {
    const isFirst = !this.#isLoaded;
    const kept = storedList(sessionStorage, this.#place, isKept);
    // Without a daemon, their states are unknown.
    const { receipts } = await daemon()
      .call("sessions.receipts", { session: this.#session }, { signal })
      .catch(() => ({ receipts: [] }));
    if (signal.aborted) return;
    this.#isLoaded = true;
    const sent = this.list.get();
    const keys = new Set(receipts.map(({ key }) => key));
    const others = sent.filter(({ key }) => !keys.has(key));
    this.past = [...receipts, ...others].map(({ text }) => text);
    const known = isFirst ? sent.reduce(withPrompt, promptsAfterLoad(kept, receipts)) : sent;
    this.list.set(receipts.reduce(withReceipt, known));
  };

  /** Sends a prompt, with `shell` also to a shell, which runs it; with a `key` that was used before, nothing is typed twice. Resolves with the new state. */
  async send(text: string, { shell, key = newKey() }: { shell: boolean; key?: string }): Promise<SentPrompt["state"]> {
    const prompt: SentPrompt = { key, text, state: "sending", reason: null };
    if (this.past.at(-1) !== text) this.past = [...this.past, text];
    this.#put(prompt);
    try {
      const receipt = await daemon().call("sessions.prompt", { session: this.#session, text, key, shell });
      this.learn(receipt);
      return receipt.state;
    } catch (error) {
      const now = this.list.get().find((each) => each.key === key)?.state ?? "sending";
      // A receipt has arrived meanwhile.
      if (now !== "sending") return now;
      const isAnswer = error instanceof LecternError && !noAnswers.has(error.code);
      const state = isAnswer ? "refused" : "unanswered";
      this.#put({ ...prompt, state, reason: messageOf(error) });
      return state;
    }
  }

  /** Cancels a prompt that was not typed yet. */
  async cancel(key: string): Promise<void> {
    try {
      this.learn(await daemon().call("sessions.cancel", { session: this.#session, key }));
    } catch (error) {
      notify(messageOf(error), "problem");
    }
  }

  /** Removes the prompt from the list; the daemon keeps its receipt. */
  dismiss(key: string): void {
    this.list.set(this.list.get().filter((prompt) => prompt.key !== key));
  }

  #put(prompt: SentPrompt): void {
    this.list.set(withPrompt(this.list.get(), prompt));
  }

  get #place(): string {
    return `lectern-prompts-${this.#session}`;
  }

  #keep(): void {
    const kept = keptPrompts(this.list.get());
    if (kept.length === 0) sessionStorage.removeItem(this.#place);
    else sessionStorage.setItem(this.#place, JSON.stringify(kept));
  }
}

const isKept = (value: unknown): value is KeptPrompt =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as KeptPrompt).key === "string" &&
  typeof (value as KeptPrompt).text === "string";

/** Not `randomUUID`, which browsers provide only on secure pages. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return `page-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** Receipts are loaded by the reader of the conversation, see `ReceiptReader`. */
export const usePrompts = (session: string): SentPrompts => useMemo(() => new SentPrompts(session), [session]);
