/** The prompts that this page sends to a session: each under a key of its own, kept over a reload, followed until it is over. */
import { useEffect, useMemo } from "react";
import { LecternError, type ErrorCode } from "../../client.ts";
import { daemon, messageOf } from "../api.ts";
import { Store } from "../store.ts";
import {
  isFollowed,
  keptPrompts,
  promptOf,
  promptsAfterLoad,
  withPrompt,
  type KeptPrompt,
  type SentPrompt,
} from "./sent-prompt.ts";

const POLL_MS = 400;
const KEY_BYTES = 12;
/** After these nobody knows whether the daemon has it. */
const noAnswers: ReadonlySet<ErrorCode> = new Set(["CANCELLED", "DAEMON_UNREACHABLE", "INTERNAL", "MALFORMED"]);

export class SentPrompts {
  readonly list = new Store<readonly SentPrompt[]>([]);
  /** Texts that were sent to the session before, by anybody, the oldest first. */
  past: readonly string[] = [];
  readonly #session: string;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(session: string) {
    this.#session = session;
    this.list.subscribe(() => this.#keep());
  }

  /** What was sent before this page was there. */
  async load(signal: AbortSignal): Promise<void> {
    const kept = this.#kept();
    // Without a daemon: nobody knows what became of them.
    const { receipts } = await daemon()
      .call("sessions.receipts", { session: this.#session }, { signal })
      .catch(() => ({ receipts: [] }));
    if (signal.aborted) return;
    const sent = this.list.get();
    this.past = [...receipts.map(({ text }) => text), ...sent.map(({ text }) => text)];
    this.list.set(sent.reduce(withPrompt, promptsAfterLoad(kept, receipts)));
    this.#follow();
  }

  /** Sends it; a `key` that was used before types nothing twice. Tells what the daemon said to it. */
  async send(text: string, key: string = newKey()): Promise<SentPrompt["state"]> {
    const prompt: SentPrompt = { key, text, state: "sending", reason: null };
    if (this.past.at(-1) !== text) this.past = [...this.past, text];
    this.#put(prompt);
    try {
      const receipt = await daemon().call("sessions.prompt", { session: this.#session, text, key });
      this.#put(promptOf(receipt));
      this.#follow();
      return receipt.state;
    } catch (error) {
      const isAnswer = error instanceof LecternError && !noAnswers.has(error.code);
      const state = isAnswer ? "refused" : "unanswered";
      this.#put({ ...prompt, state, reason: messageOf(error) });
      return state;
    }
  }

  /** It is not shown any more. What the daemon has of it stays. */
  dismiss(key: string): void {
    this.list.set(this.list.get().filter((prompt) => prompt.key !== key));
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #put(prompt: SentPrompt): void {
    this.list.set(withPrompt(this.list.get(), prompt));
  }

  #follow(): void {
    if (this.#timer !== undefined || !this.list.get().some(isFollowed)) return;
    this.#timer = setTimeout(() => void this.#look(), POLL_MS);
  }

  async #look(): Promise<void> {
    for (const prompt of this.list.get().filter(isFollowed)) {
      try {
        const { key } = prompt;
        const now = promptOf(await daemon().call("sessions.receipt", { session: this.#session, key }));
        if (now.state !== prompt.state || now.reason !== prompt.reason) this.#put(now);
      } catch {
        // The daemon is away for a while: it is asked again.
      }
    }
    if (this.#timer === undefined) return;
    this.#timer = undefined;
    this.#follow();
  }

  get #place(): string {
    return `lectern-prompts-${this.#session}`;
  }

  #keep(): void {
    const kept = keptPrompts(this.list.get());
    if (kept.length === 0) sessionStorage.removeItem(this.#place);
    else sessionStorage.setItem(this.#place, JSON.stringify(kept));
  }

  #kept(): KeptPrompt[] {
    try {
      const list: unknown = JSON.parse(sessionStorage.getItem(this.#place) ?? "[]");
      return Array.isArray(list) ? list.filter(isKept) : [];
    } catch {
      return [];
    }
  }
}

const isKept = (value: unknown): value is KeptPrompt =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as KeptPrompt).key === "string" &&
  typeof (value as KeptPrompt).text === "string";

/** Not `randomUUID`, which browsers have on secure pages only. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return `page-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

export function usePrompts(session: string): SentPrompts {
  const prompts = useMemo(() => new SentPrompts(session), [session]);
  useEffect(() => {
    const leaving = new AbortController();
    void prompts.load(leaving.signal);
    return () => {
      leaving.abort();
      prompts.stop();
    };
  }, [prompts]);
  return prompts;
}
