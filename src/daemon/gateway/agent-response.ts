/** The gateway's side towards the agent: an answer that is written with backpressure, and ends with an error in the agent's own dialect. */
import type { ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import type { Dialect, WireError } from "../../core/wire/turn.ts";
import { writeStreamError } from "../../core/wire/write-errors.ts";
import { encodeSseEvent } from "../../core/sse/encode-sse-event.ts";
import type { GatewayProblem } from "./gateway-problem.ts";

/** What keeps a client of each dialect waiting without telling it anything. */
const keepAlives: Readonly<Record<Dialect, string>> = {
  anthropic: encodeSseEvent({ event: "ping", data: '{"type":"ping"}' }),
  "openai-chat": ": keep-alive\n\n",
  "openai-responses": ": keep-alive\n\n",
  // Google's library takes whatever is no data line for broken data; white space in front of one it skips.
  gemini: "\n",
};

export class AgentResponse {
  readonly #response: ServerResponse;
  readonly #dialect: Dialect | undefined;
  #isStream = false;

  constructor(response: ServerResponse, dialect: Dialect | undefined) {
    this.#response = response;
    this.#dialect = dialect;
  }

  /** Nothing can be taken back any more. */
  get begun(): boolean {
    return this.#response.headersSent;
  }

  /** The agent closed the connection. */
  get gone(): boolean {
    return this.#response.destroyed;
  }

  head(status: number, headers: readonly string[], kind: "stream" | "whole"): void {
    this.#isStream = kind === "stream";
    this.#response.writeHead(status, [...headers]);
    if (this.#isStream) this.#response.flushHeaders();
  }

  /** Resolves when more may come: undefined where that is at once, else when the agent has read what waits. */
  write(parts: readonly Uint8Array[]): Promise<void> | undefined {
    const { chunkedEncoding, destroyed, socket } = this.#response;
    if (destroyed) return undefined;
    if (this.#isStream && chunkedEncoding && socket !== null) {
      return socket.write(asChunk(parts)) ? undefined : untilDrained(socket);
    }
    let more = true;
    for (const part of parts) more = this.#response.write(part);
    return more ? undefined : untilDrained(this.#response);
  }

  /** Writes what the dialect takes for nothing, unless the agent does not read anyway. */
  keepAlive(): void {
    if (this.#response.writableNeedDrain || this.#response.destroyed || this.#dialect === undefined) return;
    this.#response.write(this.#isStream ? keepAlives[this.#dialect] : " ");
  }

  end(last?: Uint8Array | string): void {
    if (last === undefined) this.#response.end();
    else this.#response.end(last);
  }

  /** Ends the answer with an error: as an answer of its own, as the last event of a stream, or by breaking it off. */
  fail(problem: GatewayProblem): void {
    if (this.gone) return;
    if (!this.begun) {
      const body = problem.body(this.#dialect);
      if (problem.retryAfterMs !== null) {
        this.#response.setHeader("retry-after", Math.ceil(problem.retryAfterMs / 1000));
      }
      this.#response.writeHead(problem.status, { "content-type": "application/json" });
      this.#response.end(body);
    } else if (this.#isStream && this.#dialect !== undefined) {
      this.failStream(problem.wireError, problem.status);
    } else this.#response.destroy();
  }

  failStream(error: WireError, status = 500): void {
    if (this.#dialect === undefined) this.#response.destroy();
    else this.#response.end(writeStreamError(this.#dialect, error, status));
  }
}

const lineEnd = Buffer.from("\r\n");

/**
 * RFC 9112, section 7.1: the parts as one chunk of a body. `ServerResponse.write` makes three pieces of each and waits for the end of
 * the step; one piece that is written at once is half the way of a small event.
 */
function asChunk(parts: readonly Uint8Array[]): Buffer {
  let bytes = 0;
  for (const part of parts) bytes += part.length;
  if (bytes === 0) return Buffer.alloc(0);
  const size = bytes.toString(16);
  const chunk = Buffer.allocUnsafe(size.length + bytes + 2 * lineEnd.length);
  let at = chunk.write(`${size}\r\n`, "latin1");
  for (const part of parts) {
    chunk.set(part, at);
    at += part.length;
  }
  chunk.set(lineEnd, at);
  return chunk;
}

function untilDrained(stream: Writable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = (): void => {
    stream.off("drain", done);
    stream.off("close", done);
    resolve();
  };
  stream.on("drain", done);
  stream.on("close", done);
  return promise;
}
