/** One POST request to a target that was checked. No redirect is followed, and no proxy of the environment is used. */
import type { IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import type { PrivateTarget } from "../core/private-target.ts";
import { outcomeOfStatus, type SendOutcome } from "../core/pace.ts";
import { oneLine } from "../../../core/text/one-line.ts";
import { maskSecrets } from "../../../core/text/mask-secrets.ts";
import { request as httpRequest } from "../../../daemon/node-http.ts";
import { checkNoticeTarget, TargetRefused, type Resolve } from "./targets.ts";

export interface PostRequest {
  readonly url: string;
  /** Values are Unicode text, sent as UTF-8. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  readonly privateTargets: readonly PrivateTarget[];
  readonly signal: AbortSignal;
  /** Default: the resolver of the system. */
  readonly resolve?: Resolve;
}

/** Of the answer, for the reason of a failure. */
const ANSWER_BYTES_MAX = 2048;
const SHOWN_CHARS_MAX = 120;
/** From the name to the end of the answer. */
const POST_MS_MAX = 5000;

/** The host of an address, which may be shown. */
export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : "an address that is not a URL");

/** One attempt, as its outcome; never rejects. */
export async function post(request: PostRequest): Promise<SendOutcome> {
  const host = hostOf(request.url);
  const limit = AbortSignal.timeout(POST_MS_MAX);
  try {
    if (!URL.canParse(request.url))
      return { type: "refused", reason: "Its address is not a URL: check the configuration" };
    const answer = await exchange({ ...request, signal: AbortSignal.any([request.signal, limit]) });
    return outcomeOfStatus(answer, host);
  } catch (error) {
    if (error instanceof TargetRefused) return { type: "refused", reason: error.message };
    if (limit.aborted) return { type: "failed", reason: `${host} did not answer within ${POST_MS_MAX / 1000} s` };
    return { type: "failed", reason: `Cannot reach ${host}: ${connectionReason(error)}` };
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | undefined;
}

async function exchange({ body, headers, privateTargets, resolve, signal, url: text }: PostRequest): Promise<Answer> {
  const url = new URL(text);
  const target = await raceAbort(checkNoticeTarget(url, privateTargets, resolve), signal);
  const lookup: LookupFunction = (_host, options, done) => {
    const [first] = target.addresses;
    if (options.all === true)
      done(
        null,
        target.addresses.map(({ address, family }) => ({ address, family })),
      );
    else done(null, first?.address ?? "", first?.family);
  };
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const { promise, reject, resolve: answered } = Promise.withResolvers<IncomingMessage>();
  const open = url.protocol === "https:" ? httpsRequest : httpRequest;
  const sent = open(url, {
    method: "POST",
    agent: false,
    lookup,
    signal,
    headers: {
      "user-agent": "lectern",
      "content-length": String(bytes.length),
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, headerBytes(value)])),
    },
  });
  sent.once("response", answered).once("error", reject).end(bytes);
  const incoming = await promise;
  const retryAfter = incoming.headers["retry-after"];
  return { status: incoming.statusCode ?? 0, text: await beginningOf(incoming), retryAfter };
}

/** Node writes a header as Latin-1: so these are the bytes of UTF-8. What would end the header is left out. */
const headerBytes = (value: string): string =>
  Buffer.from(value.replaceAll(/[\u0000-\u001f\u007f]/g, " ")).toString("latin1");

/** The rest is not read. */
async function beginningOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    if ((length += chunk.length) >= ANSWER_BYTES_MAX) break;
  }
  incoming.destroy();
  return maskSecrets(oneLine(Buffer.concat(chunks).toString("utf8"))).slice(0, SHOWN_CHARS_MAX);
}

async function raceAbort<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason as Error);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** In words, and without an address. */
export function connectionReason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const known: Readonly<Record<string, string>> = {
    ECONNREFUSED: "nothing listens there",
    ENOTFOUND: "its name has no address",
    EAI_AGAIN: "its name cannot be resolved now",
    ECONNRESET: "it closed the connection",
    CERT_HAS_EXPIRED: "its certificate has expired",
    DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  };
  // Messages of Node may have the address, which may be a secret.
  return (code !== undefined ? known[code] : undefined) ?? code ?? (message.includes("/") ? "unknown error" : message);
}
