/** One turn of a model: the request sent, tried again while nothing of an answer was seen, and read as it comes. */
import { LecternError } from "../core/errors.ts";
import type { IdleOptions } from "../core/gate/idle.ts";
import type { UpstreamFailure } from "../core/gate/retry.ts";
import type { Dialect, Turn, WireDelta } from "../core/wire/turn.ts";
import { readAnswer, WireReader } from "../core/wire/wire-reader.ts";
import { writeRequest, type RequestToWrite } from "../core/wire/write-request.ts";
import { openAnswer } from "../upstream/open-answer.ts";
import { untilAnswered } from "../upstream/until-answered.ts";
import { UpstreamServers, type UpstreamServer } from "../upstream/upstream-servers.ts";

export interface ModelClientOptions {
  readonly dialect: Dialect;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** Sent in a header and kept nowhere else. */
  readonly key: string | undefined;
  readonly idle?: IdleOptions;
  /** Told before it waits. */
  readonly onRetry?: (failure: UpstreamFailure, delayMs: number) => void;
}

/** Bytes of an answer that is no stream: an error of the server. */
const ERROR_BYTES_MAX = 65_536;

interface Attempt {
  readonly turn: Turn | undefined;
  readonly failure?: UpstreamFailure;
  readonly forwarded: boolean;
  readonly message: string;
}

interface Way {
  readonly server: UpstreamServer;
  readonly signal: AbortSignal;
}

export class ModelClient {
  readonly #options: ModelClientOptions;
  readonly #servers = new UpstreamServers();

  constructor(options: ModelClientOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the turn is over, also where it ended in an error of the stream. Throws `NOT_AVAILABLE` where no answer came,
   * `CANCELLED` when `signal` is aborted.
   */
  async turn(request: RequestToWrite, onDelta: (delta: WireDelta) => void, signal: AbortSignal): Promise<Turn> {
    const { baseUrl, dialect, key, onRetry } = this.#options;
    const { body, headers, path } = writeRequest(dialect, request, key);
    const written = new Request(`${baseUrl}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    const server = this.#servers.of(new URL(written.url).origin);
    const attempt = (): Promise<Attempt> => this.#attempt(written.clone(), { server, signal }, onDelta);
    const { failure, forwarded, message, turn } = await untilAnswered(attempt, { server, signal, onRetry });
    if (turn !== undefined && (failure === undefined || forwarded)) return turn;
    throw new LecternError("NOT_AVAILABLE", `The model did not answer: ${message}`);
  }

  async #attempt(request: Request, { server, signal }: Way, onDelta: (delta: WireDelta) => void): Promise<Attempt> {
    const { dialect, idle } = this.#options;
    const opened = await openAnswer(request, { server, idle, signal });
    if (opened.response === undefined) {
      return { turn: undefined, failure: opened.failure, forwarded: false, message: opened.error.message };
    }
    const { failure, response } = opened;
    if (failure !== undefined) {
      return { turn: undefined, failure, forwarded: false, message: await refusalOf(dialect, response) };
    }
    const reader = new WireReader(dialect);
    let forwarded = false;
    const pass = (deltas: readonly WireDelta[]): void => {
      for (const delta of deltas) {
        forwarded = true;
        onDelta(delta);
      }
    };
    try {
      for await (const chunk of response.body ?? []) pass(reader.feed(chunk));
      pass(reader.end().filter(({ type }) => type !== "finish" || reader.turn.finish !== "truncated"));
      const { turn } = reader;
      if (turn.finish !== "truncated") return { turn, forwarded, message: "" };
      return { turn, failure: { type: "reset" }, forwarded, message: "the stream ended before the turn did" };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof LecternError)) throw error;
      reader.end();
      const { details, message } = error;
      const type = details["reason"] === "idle" ? "idle" : "reset";
      return { turn: reader.turn, failure: { type }, forwarded, message };
    }
  }
}

/** An answer with an error status: its text in the dialect's own words. */
async function refusalOf(dialect: Dialect, response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > ERROR_BYTES_MAX) break;
    }
  } catch {
    // The status is known, whatever becomes of the text.
  }
  const { turn } = readAnswer(dialect, Buffer.concat(chunks).toString("utf8"));
  return `status ${response.status}${turn.error?.message == null ? "" : `, ${turn.error.message}`}`;
}
