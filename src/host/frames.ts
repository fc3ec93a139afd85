/**
 * Frames between daemon and pty host over a unix socket: u32 big-endian length of the rest, one byte of type, then:
 *
 * - 0 hello (host, first): JSON `Hello`. Hello and drain never change, so that any daemon can drain any host.
 * - 1 request (daemon): JSON `{ id, method, ... }`
 * - 2 response (host): JSON `{ id, result }` or `{ id, error }`
 * - 3 input (daemon): u32 request id, u32 handle, u8 flags (1 secret, 2 keyed, 4 conditions), if keyed u16 length and the key, with
 *   conditions u16 length and JSON `InputConditions`, then the bytes
 * - 4 tail (host): u32 handle, u64 end; the journal of a followed session is complete on disk up to `end`
 * - 5 notice (host): JSON `Notice`
 * - 6 drain (daemon): empty; accept no new sessions and end with the last one
 */
import { LecternError } from "../core/errors.ts";
import type { InputConditions } from "./messages.ts";

export const frameType = { hello: 0, request: 1, response: 2, input: 3, tail: 4, notice: 5, drain: 6 } as const;

export interface HostFrame {
  readonly type: number;
  /** A view: valid until the next `feed`. */
  readonly payload: Buffer;
}

/** Enough for a request with a large environment. The connection is closed if a peer sends a longer frame. */
export const FRAME_BYTES_MAX = 8 * 1024 * 1024;

const HEAD_BYTES = 5;

export function encodeFrame(type: number, payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(HEAD_BYTES + payload.length);
  frame.writeUInt32BE(payload.length + 1, 0);
  frame[4] = type;
  frame.set(payload, HEAD_BYTES);
  return frame;
}

export const encodeJsonFrame = (type: number, value: unknown): Buffer =>
  encodeFrame(type, Buffer.from(JSON.stringify(value)));

export interface InputFrame {
  readonly request: number;
  readonly handle: number;
  readonly secret: boolean;
  /** Typed at most once per session; at most 65,535 bytes of UTF-8. */
  readonly key?: string | undefined;
  readonly conditions?: InputConditions | undefined;
  readonly bytes: Uint8Array;
}

const INPUT_HEAD_BYTES = 9;
const INPUT_SECRET = 1;
const INPUT_KEYED = 2;
const INPUT_CONDITIONS = 4;

export function encodeInputFrame({ request, handle, secret, key, conditions, bytes }: InputFrame): Buffer {
  const head = Buffer.allocUnsafe(INPUT_HEAD_BYTES);
  head.writeUInt32BE(request, 0);
  head.writeUInt32BE(handle, 4);
  const flags = [
    secret && INPUT_SECRET,
    key !== undefined && INPUT_KEYED,
    conditions !== undefined && INPUT_CONDITIONS,
  ];
  head[8] = flags.reduce<number>((sum, flag) => sum + (flag === false ? 0 : flag), 0);
  const parts = [key, conditions === undefined ? undefined : JSON.stringify(conditions)];
  return encodeFrame(frameType.input, Buffer.concat([head, ...parts.map(withLength), bytes]));
}

function withLength(part: string | undefined): Buffer {
  if (part === undefined) return Buffer.alloc(0);
  const bytes = Buffer.from(`\0\0${part}`);
  bytes.writeUInt16BE(bytes.length - 2, 0);
  return bytes;
}

export function decodeInputFrame(payload: Buffer): InputFrame & { readonly bytes: Buffer } {
  const flags = payload.readUInt8(8);
  let at = INPUT_HEAD_BYTES;
  const part = (flag: number): string | undefined => {
    if ((flags & flag) === 0) return undefined;
    const start = at + 2;
    at = start + payload.readUInt16BE(at);
    return payload.toString("utf8", start, at);
  };
  const key = part(INPUT_KEYED);
  const conditions = part(INPUT_CONDITIONS);
  return {
    request: payload.readUInt32BE(0),
    handle: payload.readUInt32BE(4),
    secret: (flags & INPUT_SECRET) !== 0,
    key,
    conditions: conditions === undefined ? undefined : (JSON.parse(conditions) as InputConditions),
    bytes: payload.subarray(at),
  };
}

export function encodeTailFrame(handle: number, end: number): Buffer {
  const payload = Buffer.allocUnsafe(12);
  payload.writeUInt32BE(handle, 0);
  payload.writeBigUInt64BE(BigInt(end), 4);
  return encodeFrame(frameType.tail, payload);
}

export const decodeTailFrame = (payload: Buffer): { handle: number; end: number } => ({
  handle: payload.readUInt32BE(0),
  end: Number(payload.readBigUInt64BE(4)),
});

/** Splits a byte stream into frames at any chunking. */
export class HostFrameReader {
  /** The start of an incomplete frame. */
  #rest: Buffer = Buffer.alloc(0);

  /** Throws `MALFORMED` for an invalid length. */
  feed(chunk: Buffer): HostFrame[] {
    let data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const frames: HostFrame[] = [];
    while (data.length >= HEAD_BYTES) {
      const length = data.readUInt32BE(0);
      if (length < 1 || length > FRAME_BYTES_MAX)
        throw new LecternError("MALFORMED", `Cannot read a frame of ${length} bytes: wanted 1 to ${FRAME_BYTES_MAX}`);
      if (data.length < 4 + length) break;
      frames.push({ type: data.readUInt8(4), payload: data.subarray(HEAD_BYTES, 4 + length) });
      data = data.subarray(4 + length);
    }
    this.#rest = data;
    return frames;
  }
}
