/**
 * One frame of a tunnel: one message of a network that delivers each message at most once. Big-endian.
 *
 * | at | bytes | field                                        |
 * | -- | ----- | -------------------------------------------- |
 * | 0  | 1     | kind                                         |
 * | 1  | 1     | flags, 0 except for `data`                   |
 * | 2  | 4     | sequence: 0 for the first frame of a direction, then one more for each, modulo 2^32 |
 * | 6  |       | content                                      |
 *
 * | kind | name  | content                                                                                   |
 * | ---- | ----- | ----------------------------------------------------------------------------------------- |
 * | 1    | open  | head: UTF-8, such as JSON of method, path and headers, or of status and headers; at most 64 KiB |
 * | 2    | data  | bytes, at most 128 KiB; flag 1: text, flag 2: the last part of a message                   |
 * | 3    | end   | trailers: UTF-8, may be empty; nothing but pings, acks and a close follows                 |
 * | 4    | ping  | u64: data bytes consumed so far                                                            |
 * | 5    | ack   | u64: data bytes consumed so far                                                            |
 * | 6    | close | u16 code, then a reason: UTF-8, at most 123 bytes, as in RFC 6455                          |
 */

const HEADER_BYTES = 6;
/** The longest content of a `data` frame. */
export const DATA_BYTES_MAX = 128 * 1024;
/** The longest head or trailers. */
const HEAD_BYTES_MAX = 64 * 1024;
const REASON_BYTES_MAX = 123;

const IS_TEXT = 1;
const IS_FINAL = 2;

/** What a frame carries, without its number. */
export type TunnelContent =
  | { readonly kind: "open"; readonly head: string }
  | { readonly kind: "data"; readonly isText: boolean; readonly isFinal: boolean; readonly bytes: Uint8Array }
  | { readonly kind: "end"; readonly trailers: string }
  | { readonly kind: "ping" | "ack"; readonly consumedBytes: number }
  | { readonly kind: "close"; readonly code: number; readonly reason: string };

export type TunnelFrame = TunnelContent & { readonly sequence: number };

const KINDS = ["open", "data", "end", "ping", "ack", "close"] as const;

const encoder = new TextEncoder();

/** `content` as bytes. Throws a `RangeError` if it is longer than its limit, except for a reason, which is cut. */
export function encodeTunnelFrame(sequence: number, content: TunnelContent): Uint8Array<ArrayBuffer> {
  const body = bodyOf(content);
  const bytes = new Uint8Array(HEADER_BYTES + body.length);
  bytes[0] = KINDS.indexOf(content.kind) + 1;
  if (content.kind === "data") bytes[1] = (content.isText ? IS_TEXT : 0) | (content.isFinal ? IS_FINAL : 0);
  viewOf(bytes).setUint32(2, sequence);
  bytes.set(body, HEADER_BYTES);
  return bytes;
}

function bodyOf(content: TunnelContent): Uint8Array {
  switch (content.kind) {
    case "open":
      return limited(encoder.encode(content.head), HEAD_BYTES_MAX);
    case "data":
      return limited(content.bytes, DATA_BYTES_MAX);
    case "end":
      return limited(encoder.encode(content.trailers), HEAD_BYTES_MAX);
    case "ping":
    case "ack":
      return u64(content.consumedBytes);
    case "close": {
      const body = new Uint8Array(2 + REASON_BYTES_MAX);
      viewOf(body).setUint16(0, content.code);
      // `encodeInto` stops before a character that does not fit.
      const { written } = encoder.encodeInto(content.reason, body.subarray(2));
      return body.subarray(0, 2 + written);
    }
  }
}

function limited(bytes: Uint8Array, bytesMax: number): Uint8Array {
  if (bytes.length <= bytesMax) return bytes;
  throw new RangeError(`Cannot send ${bytes.length} bytes in one frame: wanted at most ${bytesMax}`);
}

/** The frame in `bytes`, or what is wrong with it. The bytes of `data` are a view. */
export function decodeTunnelFrame(bytes: Uint8Array): TunnelFrame | string {
  if (bytes.length < HEADER_BYTES) return `a frame of ${bytes.length} bytes`;
  const kind = KINDS[(bytes[0] ?? 0) - 1];
  const flags = bytes[1] ?? 0;
  if (kind === undefined) return `a frame of kind ${bytes[0]}`;
  if (flags > (kind === "data" ? IS_TEXT | IS_FINAL : 0)) return `a frame "${kind}" with the flags ${flags}`;
  const body = bytes.subarray(HEADER_BYTES);
  const content = contentOf(kind, flags, body);
  if (content === undefined) return `a malformed frame "${kind}" of ${body.length} bytes`;
  return { ...content, sequence: viewOf(bytes).getUint32(2) };
}

function contentOf(kind: TunnelContent["kind"], flags: number, body: Uint8Array): TunnelContent | undefined {
  switch (kind) {
    case "open": {
      const head = textOf(body, HEAD_BYTES_MAX);
      return head === undefined ? undefined : { kind, head };
    }
    case "data":
      if (body.length > DATA_BYTES_MAX) return undefined;
      return { kind, isText: (flags & IS_TEXT) !== 0, isFinal: (flags & IS_FINAL) !== 0, bytes: body };
    case "end": {
      const trailers = textOf(body, HEAD_BYTES_MAX);
      return trailers === undefined ? undefined : { kind, trailers };
    }
    case "ping":
    case "ack": {
      const consumedBytes = body.length === 8 ? Number(viewOf(body).getBigUint64(0)) : -1;
      return Number.isSafeInteger(consumedBytes) && consumedBytes >= 0 ? { kind, consumedBytes } : undefined;
    }
    case "close": {
      const reason = body.length < 2 ? undefined : textOf(body.subarray(2), REASON_BYTES_MAX);
      return reason === undefined ? undefined : { kind, code: viewOf(body).getUint16(0), reason };
    }
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function textOf(bytes: Uint8Array, bytesMax: number): string | undefined {
  if (bytes.length > bytesMax) return undefined;
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

function u64(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  viewOf(bytes).setBigUint64(0, BigInt(value));
  return bytes;
}

/** Big-endian. */
const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
