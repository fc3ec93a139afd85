/** The errors of transports, and of responses. */
import { LecternError } from "../core/errors.ts";
import { fromProblem } from "../protocol/errors.ts";
import type { TransportResponse } from "./transport.ts";

/** Bytes of an error response that are read. */
const PROBLEM_BYTES_MAX = 65_536;

/** Nothing listens, or the connection broke with that code: then it is not known whether the daemon has done what was asked. */
export function unreachable(where: string, cause: unknown): LecternError {
  const code = (cause as { readonly code?: unknown } | undefined)?.code;
  const isSilent = typeof code !== "string" || code === "ENOENT" || code === "ECONNREFUSED";
  const message = isSilent
    ? `Cannot reach the daemon at "${where}": start it with "lectern up"`
    : `The daemon at "${where}" broke the connection (${code}): what was asked may have been done; see "lectern ls"`;
  return new LecternError("DAEMON_UNREACHABLE", message, { details: { where }, cause });
}

export const cancelled = (cause: unknown): LecternError =>
  new LecternError("CANCELLED", "Cancelled by the caller", { cause });

/** `CANCELLED` if the caller cancelled, else `DAEMON_UNREACHABLE`. */
export const transportError = (where: string, cause: unknown, signal: AbortSignal | undefined): LecternError => {
  if (cause instanceof LecternError) return cause;
  return signal?.aborted === true ? cancelled(signal.reason) : unreachable(where, cause);
};

/** The error of a response outside of 200 to 299. */
export async function errorOf(response: TransportResponse): Promise<LecternError> {
  const text = await readText(response.chunks, PROBLEM_BYTES_MAX).catch(() => "");
  return problemError(text, response.status);
}

export function problemError(text: string, status: number): LecternError {
  try {
    return fromProblem(JSON.parse(text), status);
  } catch {
    return fromProblem(text, status);
  }
}

/** A complete body as text; stops at `bytesMax`. */
export async function readText(chunks: AsyncIterable<Uint8Array>, bytesMax: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    bytes += chunk.length;
    if (bytes > bytesMax) break;
  }
  return text + decoder.decode();
}
