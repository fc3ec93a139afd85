/** One request to an OTLP collector (https://opentelemetry.io/docs/specs/otlp/#otlphttp). Redirects are not followed. */
import type { OtlpSettings } from "../core/otlp-settings.ts";
import type { OtlpRequest } from "../core/span.ts";
import { retryAfterMsOf } from "../../../upstream/upstream-servers.ts";

/** Of an answer; what is beyond is not read. */
const ANSWER_BYTES_MAX = 65_536;
const RETRY_AFTER_MS_MAX = 300_000;

/**
 * - `sent`: the collector took the request; `rejected` of its spans it did not take, and they are not sent again
 * - `refused`: it will never take this body
 * - `failed`: to be sent again, not before `afterMs` if the collector named a time
 */
export type SendResult =
  | { readonly type: "sent"; readonly code: string; readonly rejected: number; readonly message: string }
  | { readonly type: "refused"; readonly code: string; readonly message: string }
  | { readonly type: "failed"; readonly code: string; readonly message: string; readonly afterMs: number | null };

export async function sendSpans(
  request: OtlpRequest,
  { headers, timeoutMs, url }: Pick<OtlpSettings, "headers" | "timeoutMs" | "url">,
  signal: AbortSignal,
): Promise<SendResult> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(request),
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    return resultOf(response, await textOf(response));
  } catch (error) {
    const { cause, message } = error as Error;
    return { type: "failed", code: "none", message: cause instanceof Error ? cause.message : message, afterMs: null };
  }
}

function resultOf(response: Response, text: string): SendResult {
  const { status } = response;
  const code = String(status);
  if (status >= 200 && status < 300) return { type: "sent", code, ...partialSuccessOf(text) };
  const location = response.headers.get("location");
  if (status >= 300 && status < 400)
    return {
      type: "failed",
      code,
      message: `it redirects to "${location ?? ""}", which is not followed`,
      afterMs: null,
    };
  const message = `HTTP ${code}${text === "" ? "" : `: ${text.slice(0, 200)}`}`;
  // A body that is not understood, or too large, does not become better; all other refusals are those of a setup.
  if (status === 400 || status === 413 || status === 422) return { type: "refused", code, message };
  const afterMs = retryAfterMsOf(response.headers.get("retry-after"));
  return { type: "failed", code, message, afterMs: afterMs && Math.min(afterMs, RETRY_AFTER_MS_MAX) };
}

function partialSuccessOf(text: string): { readonly rejected: number; readonly message: string } {
  try {
    const { partialSuccess } = JSON.parse(text) as {
      readonly partialSuccess?: { readonly rejectedSpans?: string | number; readonly errorMessage?: string };
    };
    const rejected = Number(partialSuccess?.rejectedSpans ?? 0);
    return { rejected: Number.isFinite(rejected) ? rejected : 0, message: partialSuccess?.errorMessage ?? "" };
  } catch {
    // An empty body, or one of a server that answers with something of its own: the code counts.
    return { rejected: 0, message: "" };
  }
}

async function textOf({ body }: Response): Promise<string> {
  if (body === null) return "";
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= ANSWER_BYTES_MAX) break;
  }
  return Buffer.concat(chunks).subarray(0, ANSWER_BYTES_MAX).toString();
}
