/**
 * Reads what a program and its clients say to each other in a protocol: on the pipes of an agent, from the marks of the journal, or at the
 * server of Codex, from its facts.
 */
import { AcpFold, type AcpFoldState, type DriverEvent } from "../acp/acp-fold.ts";
import { AcpLines, SHOWN_LINE_BYTES_MAX, type AcpLinesState } from "../acp/acp-lines.ts";
import { decodeBase64Url } from "../bytes/base64url.ts";
import { CodexFold, type CodexFoldState } from "../codex/codex-fold.ts";
import { codexMessageIn } from "../codex/codex-messages.ts";
import type { Mark, ProtocolMark } from "../records.ts";

/** What a protocol shows of its program. */
export interface ProtocolFacts {
  readonly events: readonly DriverEvent[];
  /** `blocked`: a question waits; `working`: a prompt has no answer yet; `unknown`: nothing is known, for a reason. */
  readonly state: "blocked" | "working" | "waiting" | "unknown";
  /** Why the state is unknown; null if it is not. */
  readonly reason: string | null;
  /** The program has a screen of its own, which may ask what the protocol does not know. */
  readonly hasScreen: boolean;
  /** A question of the protocol waits for an answer. */
  readonly asks: boolean;
  /** Who answered through Lectern last, and what; null if nobody did. */
  readonly answered: { readonly approval: string; readonly by: string } | null;
}

/** Plain data. */
export interface ProtocolReaderState {
  readonly fold: AcpFoldState;
  readonly client: AcpLinesState;
  readonly agent: AcpLinesState;
  readonly answered: ProtocolFacts["answered"];
  readonly codex: CodexFoldState;
}

export class ProtocolReader {
  readonly #fold: AcpFold;
  readonly #lines: Readonly<Record<"client" | "agent", AcpLines>>;
  readonly #codex: CodexFold;
  #answered: ProtocolFacts["answered"];

  constructor(state?: ProtocolReaderState) {
    this.#fold = new AcpFold(state?.fold);
    this.#lines = {
      client: new AcpLines(SHOWN_LINE_BYTES_MAX, state?.client),
      agent: new AcpLines(SHOWN_LINE_BYTES_MAX, state?.agent),
    };
    this.#codex = new CodexFold(state?.codex);
    this.#answered = state?.answered ?? null;
  }

  /** Null for a mark that is not of a protocol. */
  take(mark: Mark): ProtocolFacts | null {
    if (mark.type === "fact") {
      const message = codexMessageIn(mark);
      return message === null ? null : this.#ofCodex(this.#codex.step(message));
    }
    if (mark.type === "approval-answer") this.#answered = { approval: mark.approval, by: mark.by };
    if (mark.type !== "protocol" || mark.stream === "stderr") return null;
    const { stream } = mark;
    const lines = this.#lines[stream].feed(bytesOf(mark));
    return this.#facts(lines.flatMap((line) => this.#fold.step(stream, line)));
  }

  /** The program has ended, and asks nothing any more. Null if it asked nothing. */
  end(): ProtocolFacts | null {
    const questions = [...this.#fold.questions, ...this.#codex.questions];
    const gone = questions.map((question): DriverEvent => ({ type: "question-gone", question, option: null }));
    return gone.length === 0 ? null : this.#facts(gone);
  }

  save(): ProtocolReaderState {
    const { agent, client } = this.#lines;
    return {
      fold: this.#fold.save(),
      client: client.save(),
      agent: agent.save(),
      answered: this.#answered,
      codex: this.#codex.save(),
    };
  }

  #facts(events: readonly DriverEvent[]): ProtocolFacts {
    const asks = this.#fold.questions.length > 0;
    const turn = this.#fold.hasTurn ? "working" : "waiting";
    const state = asks ? "blocked" : turn;
    return { events, state, reason: null, hasScreen: false, asks, answered: this.#answered };
  }

  #ofCodex(events: readonly DriverEvent[]): ProtocolFacts {
    const { questions, reason, state } = this.#codex;
    return { events, state, reason, hasScreen: true, asks: questions.length > 0, answered: this.#answered };
  }
}

const encoder = new TextEncoder();

function bytesOf({ encoding, text }: ProtocolMark): Uint8Array {
  if (encoding === undefined) return encoder.encode(text);
  const url = text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  return decodeBase64Url(url) ?? new Uint8Array(0);
}
