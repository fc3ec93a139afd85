/** What the gateway itself has to say to an agent instead of an answer, in the words of each dialect. */
import type { Dialect, WireError } from "../../core/wire/turn.ts";
import { writeErrorAnswer } from "../../core/wire/write-errors.ts";

/**
 * - `upstream_unreachable`, `upstream_reset`, `upstream_idle`: no connection, a broken one, silence
 * - `upstream_malformed`, `upstream_too_large`, `upstream_truncated`: an answer that cannot be read, or not to its end
 * - `upstream_breaker_open`: the server failed too often and is left alone for a while
 * - `upstream_busy`: too many requests to the server are on their way or wait
 * - `gateway_refused`: the request is one that the gateway cannot watch over
 * - `gateway_failed`: the gateway cannot write down what it must before it passes a call on
 */
export type GatewayProblemType =
  | "upstream_unreachable"
  | "upstream_reset"
  | "upstream_idle"
  | "upstream_malformed"
  | "upstream_too_large"
  | "upstream_truncated"
  | "upstream_breaker_open"
  | "upstream_busy"
  | "gateway_refused"
  | "gateway_failed";

/** Only these say that a server fails: an answer that was refused for what is in it must not keep other sessions from the server. */
const failures: ReadonlySet<GatewayProblemType> = new Set([
  "upstream_unreachable",
  "upstream_reset",
  "upstream_idle",
  "upstream_truncated",
]);

/** Not a `LecternError`: no client of the daemon sees it, agents do. */
export class GatewayProblem extends Error {
  override readonly name = "GatewayProblem";
  readonly type: GatewayProblemType;
  readonly status: number;
  readonly retryAfterMs: number | null;

  constructor(
    type: GatewayProblemType,
    status: number,
    options: { readonly message: string; readonly retryAfterMs?: number; readonly cause?: unknown },
  ) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.type = type;
    this.status = status;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }

  /** What the breaker of its server counts. */
  get outcome(): "success" | "failure" {
    return failures.has(this.type) ? "failure" : "success";
  }

  get wireError(): WireError {
    return { type: this.type, message: `Lectern: ${this.message}` };
  }

  /** The body of an answer; in the words of Anthropic where the dialect is not known. */
  body(dialect: Dialect | undefined): string {
    return writeErrorAnswer(dialect ?? "anthropic", this.wireError, this.status);
  }
}
