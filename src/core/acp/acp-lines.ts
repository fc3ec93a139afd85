/**
 * The messages in a stream of the Agent Client Protocol: JSON-RPC, one message on each line.
 *
 * Law: the lines are the same at any chunking, and their bytes together are those of the stream.
 * @see https://agentclientprotocol.com/protocol/v1/transports
 */
import { findByte } from "../bytes/find-byte.ts";
import { decodeBase64Url, encodeBase64Url } from "../bytes/base64url.ts";
import { joinBytes } from "../bytes/joining.ts";
import { heal } from "../json/heal.ts";

/** An agent has sent a line of 0.6 MB, its list of commands; files and images come in lines of several. */
const LINE_BYTES_MAX = 32 * 1024 * 1024;

/** Readers that show messages to people read only the beginning of a longer one: they have other sessions to serve. */
export const SHOWN_LINE_BYTES_MAX = 1024 * 1024;

const CUT_MARK = " [cut: the rest is in the journal]";

const LINE_FEED = 0x0a;

/** A notification of either side: it does not wait for the answer to its request any more. */
export const CANCEL_REQUEST = "$/cancel_request";

type RpcId = string | number;

/** One message: a request has `method` and `id`, a notification only `method`, an answer only `id`. */
export interface RpcMessage {
  readonly id?: RpcId | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** `bytes` has the line feed. */
export type AcpLine =
  | { readonly type: "message"; readonly message: RpcMessage; readonly bytes: Uint8Array }
  /** Not a JSON object: a banner, a warning of the program, a blank line. */
  | { readonly type: "noise"; readonly text: string; readonly bytes: Uint8Array }
  /**
   * A piece of a line that is longer than the limit; where it is cut depends on the chunks. `head`: with the first piece, as much of the line
   * as the limit allows.
   */
  | { readonly type: "piece"; readonly head: Uint8Array | null; readonly bytes: Uint8Array };

/** Plain data. */
export interface AcpLinesState {
  /** Of the open line, base64url. */
  readonly rest: string;
  readonly isLong: boolean;
}

export class AcpLines {
  readonly #lineBytesMax: number;
  /** The open line. */
  #rest: Uint8Array[] = [];
  #restBytes = 0;
  /** The open line is over the limit: the beginning of it was given away. */
  #isLong = false;

  /** `lineBytesMax`: a longer line comes in pieces that are not read. */
  constructor(lineBytesMax = LINE_BYTES_MAX, state?: AcpLinesState) {
    this.#lineBytesMax = lineBytesMax;
    if (state === undefined) return;
    const rest = decodeBase64Url(state.rest) ?? new Uint8Array(0);
    this.#rest = [rest];
    this.#restBytes = rest.length;
    this.#isLong = state.isLong;
  }

  save(): AcpLinesState {
    return { rest: encodeBase64Url(joinAll(this.#rest, this.#restBytes)), isLong: this.#isLong };
  }

  /** The stream has ended: its last line, if nothing has ended that. A line feed is added to it. */
  end(): AcpLine[] {
    return this.#restBytes > 0 || this.#isLong ? this.feed(Uint8Array.of(LINE_FEED)) : [];
  }

  /** The lines that end in `chunk`. Copies what it keeps. */
  feed(chunk: Uint8Array): AcpLine[] {
    const lines: AcpLine[] = [];
    let start = 0;
    for (let end = findByte(chunk, LINE_FEED, 0); end !== -1; end = findByte(chunk, LINE_FEED, start)) {
      this.#take(chunk.subarray(start, end + 1), { isEnd: true, lines });
      start = end + 1;
    }
    if (start < chunk.length) this.#take(chunk.subarray(start), { isEnd: false, lines });
    return lines;
  }

  #take(piece: Uint8Array, { isEnd, lines }: { readonly isEnd: boolean; readonly lines: AcpLine[] }): void {
    this.#rest.push(Uint8Array.from(piece));
    this.#restBytes += piece.length;
    const wasLong = this.#isLong;
    if (this.#restBytes > this.#lineBytesMax) this.#isLong = true;
    if (!isEnd && !this.#isLong) return;
    const bytes = joinAll(this.#rest, this.#restBytes);
    const head = wasLong ? null : bytes.subarray(0, this.#lineBytesMax);
    lines.push(this.#isLong ? { type: "piece", head, bytes } : readLine(bytes));
    this.#rest = [];
    this.#restBytes = 0;
    if (isEnd) this.#isLong = false;
  }
}

function joinAll(parts: readonly Uint8Array[], length: number): Uint8Array {
  if (parts.length < 3) return joinBytes(parts[0] ?? new Uint8Array(0), parts[1] ?? new Uint8Array(0));
  const joined = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

const decoder = new TextDecoder("utf-8");

function readLine(bytes: Uint8Array): AcpLine {
  const text = decoder.decode(bytes).trimEnd();
  const message = readMessage(text);
  return message === null ? { type: "noise", text, bytes } : { type: "message", message, bytes };
}

/** The message that a cut line begins; a text that was cut ends with a mark. Null if the beginning does not say what it is. */
export function readCutMessage(head: Uint8Array): RpcMessage | null {
  // A character that was cut is left out.
  const healed = heal(new TextDecoder("utf-8").decode(head, { stream: true }));
  if (!healed.ok || typeof healed.value !== "object" || healed.value === null || Array.isArray(healed.value))
    return null;
  if (healed.partialString !== null) markCut(healed.value as CutParent, healed.partialString);
  return asMessage(healed.value as Readonly<Record<string, unknown>>);
}

type CutParent = Record<string, unknown>;

/** `pointer`: the JSON Pointer of the string that was cut. */
function markCut(message: CutParent, pointer: string): void {
  const keys = pointer.split("/").slice(1);
  const names = keys.map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  const last = names.pop() ?? "";
  let parent = message;
  for (const name of names) parent = parent[name] as CutParent;
  parent[last] = `${String(parent[last])}${CUT_MARK}`;
}

/** Null for what is not a message. */
function readMessage(text: string): RpcMessage | null {
  if (!text.trimStart().startsWith("{")) return null;
  try {
    return asMessage(JSON.parse(text));
  } catch {
    return null;
  }
}

function asMessage(value: Readonly<Record<string, unknown>>): RpcMessage | null {
  const { id, method } = value;
  const hasId = typeof id === "string" || typeof id === "number";
  if (typeof method !== "string") return hasId && method === undefined ? value : null;
  return hasId || id === undefined || id === null ? value : null;
}

/** A request: what its sender waits for. */
export const isRequest = ({ id, method }: RpcMessage): boolean =>
  method !== undefined && id !== undefined && id !== null;

/** One message as a line. */
export const encodeMessage = (message: RpcMessage): Uint8Array =>
  new TextEncoder().encode(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
