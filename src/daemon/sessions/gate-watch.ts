/**
 * Whether the agent of a session with a gateway uses it. An agent may have another address in its own settings: then it shows
 * turns while the gateway sees no request, which is what this class detects.
 *
 * Rule: not gated is an agent that was given a prompt (not one that stays in the agent, `/help` or `!ls`) and then shows an answer or a tool
 * call, or works for `agentRequestMs`, while no request for a turn came since the prompt. Without a prompt on the screen it must
 * work for `silentMs`. Any program, and an agent with a screen that was given a prompt, is not gated if it ends and no request ever came. The next
 * request ends it.
 */
import type { ChatMessage } from "../../core/chat/message.ts";
import type { ViewChange } from "../../core/views/change.ts";
import { statusTimes } from "../../core/status/times.ts";
import { waits } from "../../core/waits.ts";
import type { SessionGate } from "../../protocol/session.ts";

export interface GateWatchOptions {
  /** Of the policy file; null if every call is allowed. */
  readonly policyHash: string | null;
  readonly mode: SessionGate["mode"];
  /** What an earlier daemon knew. */
  readonly known?: SessionGate | null;
  /** It is not an agent with a known screen, so that only its end shows that it made no request. */
  readonly endsWithRequest?: boolean;
  /** A wrong report ends the session, so work alone is believed later. */
  readonly mustGate?: boolean;
  readonly onState: (gate: SessionGate) => void;
  /** The counts have changed, reported at most once a second and when the session or the daemon ends. */
  readonly onCounts?: (gate: SessionGate) => void;
}

const EVIDENCE_CHARS_MAX = 120;
/** Such input is for the agent itself or for a shell: it makes no request. */
const localInput = /^\s*[/!]/;

export class GateWatch implements Disposable {
  readonly #options: GateWatchOptions;
  readonly #sinceUs = Date.now() * 1000;
  #facts: SessionGate;
  #open = 0;
  /** When a request began or ended last. */
  #seenUs = 0;
  #prompt: { readonly id: string; readonly timeUs: number; readonly isLocal: boolean } | undefined;
  #working: NodeJS.Timeout | undefined;
  #doubt: NodeJS.Timeout | undefined;
  #counting: NodeJS.Timeout | undefined;

  constructor(options: GateWatchOptions) {
    this.#options = options;
    const { known, mode, policyHash } = options;
    const fresh = {
      state: "on",
      evidence: null,
      policyHash,
      mode,
      requests: 0,
      calls: 0,
      lastRequestAt: null,
    } as const;
    this.#facts = known ?? fresh;
  }

  /** A new object after each change. */
  get facts(): SessionGate {
    return this.#facts;
  }

  /** The agent asks for a turn. */
  begin(): void {
    const now = new Date();
    this.#open += 1;
    this.#seenUs = now.getTime() * 1000;
    clearTimeout(this.#doubt);
    this.#doubt = undefined;
    const wasGated = this.#facts.state === "on";
    const { requests } = this.#facts;
    this.#facts = {
      ...this.#facts,
      state: "on",
      evidence: null,
      requests: requests + 1,
      lastRequestAt: now.toISOString(),
    };
    if (wasGated) this.#count();
    else this.#options.onState(this.#facts);
  }

  /** The answer is over; it had so many calls. */
  end(calls: number): void {
    this.#open -= 1;
    this.#seenUs = Date.now() * 1000;
    if (calls === 0) return;
    this.#facts = { ...this.#facts, calls: this.#facts.calls + calls };
    this.#count();
  }

  /** The program has ended. An agent with a screen that nobody asked anything had nothing to send. */
  finish(): void {
    const { endsWithRequest = false } = this.#options;
    const { requests, state } = this.#facts;
    const wasAsked = this.#prompt !== undefined && !this.#prompt.isLocal;
    if (requests > 0 || state === "not-gated" || !(endsWithRequest || wasAsked)) return;
    this.#facts = {
      ...this.#facts,
      state: "not-gated",
      evidence: "it ended, and no request came: nothing was gated",
    };
    this.#options.onState(this.#facts);
  }

  take(change: ViewChange): void {
    if (change.kind === "usage") {
      // Of the requests before this daemon started only the answered ones are known.
      const { requests } = change.usage;
      if (requests > this.#facts.requests) this.#facts = { ...this.#facts, requests };
    } else if (change.timeUs < this.#sinceUs) return;
    else if (change.kind === "message") this.#takeMessage(change.message);
    else if (change.kind === "status") {
      clearTimeout(this.#working);
      const { agent, sinceUs, state } = change.status;
      if (state !== "working" || agent === null || this.#prompt?.isLocal === true) return;
      const workMs = this.#options.mustGate === true ? statusTimes.agentAnswerMs : statusTimes.agentRequestMs;
      const [afterMs, fromUs] =
        this.#prompt === undefined ? [statusTimes.silentMs, sinceUs] : [workMs, this.#prompt.timeUs];
      const look = (): void => this.#suspect(`it has been working for ${afterMs / 1000} s`, fromUs);
      this.#working = setTimeout(look, afterMs).unref();
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#working);
    clearTimeout(this.#doubt);
    if (this.#counting === undefined) return;
    clearTimeout(this.#counting);
    this.#counting = undefined;
    this.#options.onCounts?.(this.#facts);
  }

  #count(): void {
    this.#counting ??= setTimeout(() => {
      this.#counting = undefined;
      this.#options.onCounts?.(this.#facts);
    }, waits.activityMs).unref();
  }

  #takeMessage({ id, role, source, text, timeUs, tool }: ChatMessage): void {
    if (timeUs < this.#sinceUs) return;
    if (role === "user" || role === "command") {
      const isLocal = role === "command" || localInput.test(text);
      this.#prompt = { id, timeUs: this.#prompt?.id === id ? this.#prompt.timeUs : timeUs, isLocal };
    }
    const prompt = this.#prompt;
    if ((role !== "assistant" && role !== "tool-call") || source === "wire" || prompt === undefined) return;
    if (prompt.isLocal || timeUs < prompt.timeUs || text === "") return;
    const shown = (tool?.name ?? text).slice(0, EVIDENCE_CHARS_MAX).replaceAll("\n", " ").toWellFormed();
    this.#suspect(role === "assistant" ? `it answered "${shown}"` : `it shows the tool call "${shown}"`, prompt.timeUs);
  }

  /** Reported after a grace period, in which the matching request may still arrive. */
  #suspect(evidence: string, fromUs: number): void {
    if (this.#facts.state === "not-gated" || this.#hasSeen(fromUs)) return;
    this.#doubt ??= setTimeout(() => {
      this.#doubt = undefined;
      if (this.#hasSeen(fromUs)) return;
      const said = `${evidence}, and the gateway saw no request since ${new Date(fromUs / 1000).toISOString()}`;
      this.#facts = { ...this.#facts, state: "not-gated", evidence: said };
      this.#options.onState(this.#facts);
    }, waits.retryMs).unref();
  }

  #hasSeen(fromUs: number): boolean {
    return this.#open > 0 || this.#seenUs >= fromUs - waits.partMs * 1000;
  }
}
