/** Reads what a program on pipes and its client say to each other, from the marks of the journal. */
import { AcpFold, type AcpFoldState, type DriverEvent } from "../acp/acp-fold.ts";
import { AcpLines, SHOWN_LINE_BYTES_MAX, type AcpLinesState } from "../acp/acp-lines.ts";
import { decodeBase64Url } from "../bytes/base64url.ts";
import type { Mark, ProtocolMark } from "../records.ts";

/** What a protocol shows of its program. */
export interface ProtocolFacts {
  readonly events: readonly DriverEvent[];
  /** `blocked`: a question waits; `working`: a prompt has no answer yet. */
  readonly state: "blocked" | "working" | "waiting";
  /** Who answered through Lectern last, and what; null if nobody did. */
  readonly answered: { readonly approval: string; readonly by: string } | null;
}

/** Plain data. */
export interface ProtocolReaderState {
  readonly fold: AcpFoldState;
  readonly client: AcpLinesState;
  readonly agent: AcpLinesState;
  readonly answered: ProtocolFacts["answered"];
}

export class ProtocolReader {
  readonly #fold: AcpFold;
  readonly #lines: Readonly<Record<"client" | "agent", AcpLines>>;
  #answered: ProtocolFacts["answered"];

  constructor(state?: ProtocolReaderState) {
    this.#fold = new AcpFold(state?.fold);
    this.#lines = {
      client: new AcpLines(SHOWN_LINE_BYTES_MAX, state?.client),
      agent: new AcpLines(SHOWN_LINE_BYTES_MAX, state?.agent),
    };
    this.#answered = state?.answered ?? null;
  }

  /** Null for a mark that is not of a protocol. */
  take(mark: Mark): ProtocolFacts | null {
    if (mark.type === "approval-answer") this.#answered = { approval: mark.approval, by: mark.by };
    if (mark.type !== "protocol" || mark.stream === "stderr") return null;
    const { stream } = mark;
    const lines = this.#lines[stream].feed(bytesOf(mark));
    return this.#facts(lines.flatMap((line) => this.#fold.step(stream, line)));
  }

  /** The program has ended, and asks nothing any more. Null if it asked nothing. */
  end(): ProtocolFacts | null {
    const gone = this.#fold.questions.map((question): DriverEvent => ({
      type: "question-gone",
      question,
      option: null,
    }));
    return gone.length === 0 ? null : this.#facts(gone);
  }

  save(): ProtocolReaderState {
    const { agent, client } = this.#lines;
    return { fold: this.#fold.save(), client: client.save(), agent: agent.save(), answered: this.#answered };
  }

  #facts(events: readonly DriverEvent[]): ProtocolFacts {
    const turn = this.#fold.hasTurn ? "working" : "waiting";
    return { events, state: this.#fold.questions.length > 0 ? "blocked" : turn, answered: this.#answered };
  }
}

const encoder = new TextEncoder();

function bytesOf({ encoding, text }: ProtocolMark): Uint8Array {
  if (encoding === undefined) return encoder.encode(text);
  const url = text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  return decodeBase64Url(url) ?? new Uint8Array(0);
}
