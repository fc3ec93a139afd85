/**
 * Reads what Codex's own server reports to a second client beside its terminal: (state, message) -> questions, and the state of the session.
 *
 * Laws: no message is fatal; a conversation that Codex has only with itself (`ephemeral`) is no work of the session; a connection that is
 * lost leaves nothing known; the same request is asked once, however often the server repeats it.
 */
import type { DriverEvent, DriverQuestion } from "../acp/acp-fold.ts";
import { forgetOldest } from "../forget-oldest.ts";
import { asList, asText, fieldsOf, type JsonObject } from "../wire/shape.ts";
import { codexReports, COMMAND_APPROVAL, FILE_APPROVAL, type CodexMessage } from "./codex-messages.ts";
import { codexQuestion } from "./codex-question.ts";

type ThreadState = "waiting" | "working" | "blocked";

interface AskedQuestion {
  readonly thread: string;
  readonly question: DriverQuestion;
  /** Of a connection before: it counts until the server repeats it, or another one of its conversation. */
  readonly isOld: boolean;
  /** The option that was chosen through Lectern; null if none was. */
  readonly option: string | null;
}

interface Thread {
  readonly isAside: boolean;
  readonly state: ThreadState;
}

/** Plain data. */
export interface CodexFoldState {
  /** Why nothing is known; null while the server reports. */
  readonly unknown: string | null;
  readonly threads: Readonly<Record<string, Thread>>;
  readonly questions: readonly AskedQuestion[];
  /** Changes of files that were begun: JSON by the id of the item. */
  readonly changes: Readonly<Record<string, string>>;
}

const THREADS_MAX = 1000;
const QUESTIONS_MAX = 100;
const CHANGES_MAX = 100;
const NOTHING_YET = "no conversation is known yet";

export class CodexFold {
  #unknown: string | null;
  readonly #threads: Map<string, Thread>;
  #questions: readonly AskedQuestion[];
  readonly #changes: Map<string, string>;

  constructor(state?: CodexFoldState) {
    this.#unknown = state?.unknown ?? NOTHING_YET;
    this.#threads = new Map(Object.entries(state?.threads ?? {}));
    this.#questions = state?.questions ?? [];
    this.#changes = new Map(Object.entries(state?.changes ?? {}));
  }

  /** Oldest first. */
  get questions(): readonly DriverQuestion[] {
    return this.#questions.map(({ question }) => question);
  }

  /** Of all conversations of the session together. */
  get state(): ThreadState | "unknown" {
    if (this.#unknown !== null) return "unknown";
    const own = [...this.#threads.values()].filter(({ isAside }) => !isAside);
    const states = new Set(own.map(({ state }) => state));
    return (["blocked", "working", "waiting"] as const).find((state) => states.has(state)) ?? "unknown";
  }

  /** Why the state is unknown. */
  get reason(): string | null {
    return this.state === "unknown" ? (this.#unknown ?? NOTHING_YET) : null;
  }

  step(message: CodexMessage): DriverEvent[] {
    const { method, params } = message;
    const id = asText(params["threadId"]) ?? "";
    switch (method) {
      case codexReports.connected:
        this.#unknown = null;
        this.#threads.clear();
        this.#questions = this.#questions.map((asked) => ({ ...asked, isOld: true }));
        return [];
      case codexReports.lost:
        this.#unknown = asText(params["reason"]) ?? "the connection is lost";
        return this.#withdraw(() => true);
      case codexReports.thread:
      case "thread/started":
        return this.#thread(fieldsOf(params["thread"]));
      case "thread/status/changed":
        return this.#status(id, params["status"], this.#threads.get(id)?.isAside === true);
      case "thread/closed":
        this.#threads.delete(id);
        return this.#withdraw(({ thread }) => thread === id);
      case "item/started":
        if (message.isCut !== true) this.#begin(fieldsOf(params["item"]));
        return [];
      case COMMAND_APPROVAL:
      case FILE_APPROVAL:
        return this.#ask(id, message);
      case "serverRequest/resolved": {
        const request = JSON.stringify(params["requestId"]);
        return this.#withdraw(({ thread, question }) => thread === id && question.id === request);
      }
      case codexReports.answer: {
        const { option, request } = params;
        this.#questions = this.#questions.map((asked) =>
          asked.question.request === request ? { ...asked, option: asText(option) ?? null } : asked,
        );
        return [];
      }
      default:
        return [];
    }
  }

  save(): CodexFoldState {
    return {
      unknown: this.#unknown,
      threads: Object.fromEntries(this.#threads),
      questions: this.#questions,
      changes: Object.fromEntries(this.#changes),
    };
  }

  #thread({ ephemeral, id, status }: JsonObject): DriverEvent[] {
    return typeof id === "string" ? this.#status(id, status, ephemeral === true) : [];
  }

  #status(id: string, status: unknown, isAside: boolean): DriverEvent[] {
    const state = stateOf(status);
    this.#threads.delete(id);
    if (state !== null) forgetOldest(this.#threads.set(id, { isAside, state }), THREADS_MAX);
    return state === "blocked" ? [] : this.#withdraw(({ thread }) => thread === id);
  }

  #begin({ changes, id, type }: JsonObject): void {
    if (type !== "fileChange" || typeof id !== "string") return;
    const files = asList(changes).map((change) => {
      const { diff, kind, path } = fieldsOf(change);
      return { path, kind, diff };
    });
    forgetOldest(this.#changes.set(id, JSON.stringify(files)), CHANGES_MAX);
  }

  #ask(thread: string, message: CodexMessage): DriverEvent[] {
    const changes = this.#changes.get(asText(message.params["itemId"]) ?? "") ?? null;
    const isUnseen = message.method === FILE_APPROVAL && changes === null;
    const question = isUnseen ? null : codexQuestion(message, changes);
    if (question === null) return [];
    const known = this.#questions.find((asked) => asked.question.request === question.request);
    if (known !== undefined)
      this.#questions = this.#questions.map((asked) => (asked === known ? { ...asked, isOld: false } : asked));
    const gone = this.#withdraw((asked) => asked.thread === thread && asked.isOld);
    if (known !== undefined) return gone;
    this.#questions = [...this.#questions, { thread, question, isOld: false, option: null }];
    const [oldest] = this.#questions;
    if (this.#questions.length > QUESTIONS_MAX) gone.push(...this.#withdraw((asked) => asked === oldest));
    return [...gone, { type: "question", question }];
  }

  #withdraw(isGone: (asked: AskedQuestion) => boolean): DriverEvent[] {
    const gone = this.#questions.filter((asked) => isGone(asked));
    if (gone.length > 0) this.#questions = this.#questions.filter((asked) => !gone.includes(asked));
    return gone.map(({ question, option }) => ({ type: "question-gone", question, option }));
  }
}

/** Null for a conversation that is not loaded. After an error it waits for the next prompt. */
function stateOf(status: unknown): ThreadState | null {
  const { activeFlags, type } = fieldsOf(status);
  if (type === "active") return asList(activeFlags).length > 0 ? "blocked" : "working";
  return type === "idle" || type === "systemError" ? "waiting" : null;
}
