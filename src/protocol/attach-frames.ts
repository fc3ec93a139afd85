/**
 * The frames of an attach WebSocket (subprotocol `lectern.v1`). Terminal bytes are binary frames; all else is JSON in text frames.
 *
 * Binary, server to client: byte 0 is the type, then a u64 big-endian offset, then the rest.
 * - 0 output: bytes of the journal from `offset`; the next frame starts at `offset + bytes.length`
 * - 1 snapshot: u16 columns, u16 rows, then UTF-8: escape sequences that draw the screen at `offset`
 * - 2 gap: u64 `to`, then UTF-8: the reason; what is between `offset` and `to` is not sent
 * Binary, client to server: byte 0 is the type.
 * - 0 input: the rest is typed into the pty
 * - 1 numbered input: u32 number, then bytes to type; acknowledged with `taken` or with an `error` of this number, if `attached`
 *   has `confirmsInput`. Several frames of one number are one write: after a refused one the server drops the others.
 */
import { joinBytes } from "../core/bytes/joining.ts";
import type { SessionEvent } from "../core/records.ts";
import type { ExitStatus, GapNotice } from "./records.ts";

export type BinaryFrame =
  | { readonly type: "output"; readonly offset: number; readonly bytes: Uint8Array }
  | {
      readonly type: "snapshot";
      readonly offset: number;
      readonly columns: number;
      readonly rows: number;
      readonly text: string;
    }
  | { readonly type: "gap"; readonly offset: number; readonly to: number; readonly reason: string };

interface Placed {
  readonly offset: number;
  /** The offset to resume at after this one. */
  readonly next: number;
  readonly timeUs: number;
}

/** The text frames of the server. */
export type ServerMessage =
  | {
      readonly type: "attached";
      readonly session: string;
      readonly offset: number;
      readonly columns: number;
      readonly rows: number;
      readonly readOnly: boolean;
      /** The server acknowledges numbered input. Absent in servers without it. */
      readonly confirmsInput?: boolean;
    }
  | (Placed & { readonly type: "resize"; readonly columns: number; readonly rows: number })
  | (Placed & { readonly type: "input"; readonly bytes: number; readonly secret: boolean })
  | (Placed & { readonly type: "mark"; readonly event: SessionEvent })
  | (Placed & { readonly type: "gap"; readonly gap: GapNotice })
  | (Placed & { readonly type: "exit"; readonly exit: ExitStatus })
  /** Who types now, for a reader with a name; null if nobody does. `isMine`: this reader. */
  | { readonly type: "writer"; readonly writer: string | null; readonly isMine: boolean }
  /** For the user of a terminal, see `TERMINAL_READER`: what a notice has. Not from the session. */
  | { readonly type: "notice"; readonly title: string; readonly body: string }
  /** These bytes of a numbered input are in the journal. */
  | { readonly type: "taken"; readonly input: number; readonly bytes: number }
  /** `input`: the numbered input that was refused. */
  | { readonly type: "error"; readonly code: string; readonly message: string; readonly input?: number };

/** The name with which the terminal of a person attaches: it is shown notices. */
export const TERMINAL_READER = "lectern attach";

/** The text frames of a client. `ack`: everything before `offset` was used. */
export type ClientMessage =
  /** The size of this reader's window: the session gets it when the reader types. */
  | { readonly type: "window"; readonly columns: number; readonly rows: number }
  /** The same, and the session gets it now. It is given back when the reader leaves. */
  | { readonly type: "resize"; readonly columns: number; readonly rows: number }
  | { readonly type: "ack"; readonly offset: number }
  | { readonly type: "signal"; readonly name: string }
  /** Takes over the input lease, without typing. */
  | { readonly type: "take" };

const OUTPUT = 0;
const SNAPSHOT = 1;
const GAP = 2;
const NUMBERED_INPUT = 1;
const NUMBERED_HEAD_BYTES = 5;
const OFFSET_BYTES = 8;
const HEAD_BYTES = 1 + OFFSET_BYTES;
/** Bytes before the output in an output frame. */
export const OUTPUT_HEAD_BYTES = HEAD_BYTES;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Head of an output frame: put it before the bytes without copying them. */
export const outputHead = (offset: number): Uint8Array => head(OUTPUT, offset, HEAD_BYTES);

export function encodeBinaryFrame(frame: BinaryFrame): Uint8Array {
  switch (frame.type) {
    case "output":
      return joinBytes(outputHead(frame.offset), frame.bytes);
    case "snapshot": {
      const start = head(SNAPSHOT, frame.offset, HEAD_BYTES + 4);
      const view = new DataView(start.buffer);
      view.setUint16(HEAD_BYTES, frame.columns);
      view.setUint16(HEAD_BYTES + 2, frame.rows);
      return joinBytes(start, encoder.encode(frame.text));
    }
    case "gap": {
      const start = head(GAP, frame.offset, HEAD_BYTES + OFFSET_BYTES);
      new DataView(start.buffer).setBigUint64(HEAD_BYTES, BigInt(frame.to));
      return joinBytes(start, encoder.encode(frame.reason));
    }
  }
}

/** Undefined for a frame that is too short or of an unknown type. The bytes of an output frame are a view, not a copy. */
export function decodeBinaryFrame(data: Uint8Array): BinaryFrame | undefined {
  if (data.length < HEAD_BYTES) return undefined;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const offset = Number(view.getBigUint64(1));
  const rest = data.subarray(HEAD_BYTES);
  switch (data[0]) {
    case OUTPUT:
      return { type: "output", offset, bytes: rest };
    case SNAPSHOT:
      if (rest.length < 4) return undefined;
      return {
        type: "snapshot",
        offset,
        columns: view.getUint16(HEAD_BYTES),
        rows: view.getUint16(HEAD_BYTES + 2),
        text: decoder.decode(rest.subarray(4)),
      };
    case GAP:
      if (rest.length < OFFSET_BYTES) return undefined;
      return {
        type: "gap",
        offset,
        to: Number(view.getBigUint64(HEAD_BYTES)),
        reason: decoder.decode(rest.subarray(OFFSET_BYTES)),
      };
    default:
      return undefined;
  }
}

/** Encodes input of a client as a frame. */
export const encodeInput = (bytes: Uint8Array): Uint8Array => joinBytes(Uint8Array.of(0), bytes);

/** The bytes to type of a binary frame of a client; undefined if it is not an input frame. */
export const decodeInput = (data: Uint8Array): Uint8Array | undefined => (data[0] === 0 ? data.subarray(1) : undefined);

/** Encodes a part of the write with this number, which the server acknowledges. */
export function encodeNumberedInput(number: number, bytes: Uint8Array): Uint8Array {
  const start = new Uint8Array(NUMBERED_HEAD_BYTES);
  start[0] = NUMBERED_INPUT;
  new DataView(start.buffer).setUint32(1, number);
  return joinBytes(start, bytes);
}

/** Undefined if it is not a numbered input frame. */
export function decodeNumberedInput(
  data: Uint8Array,
): { readonly number: number; readonly bytes: Uint8Array } | undefined {
  if (data[0] !== NUMBERED_INPUT || data.length < NUMBERED_HEAD_BYTES) return undefined;
  const number = new DataView(data.buffer, data.byteOffset, data.byteLength).getUint32(1);
  return { number, bytes: data.subarray(NUMBERED_HEAD_BYTES) };
}

function head(type: number, offset: number, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  bytes[0] = type;
  new DataView(bytes.buffer).setBigUint64(1, BigInt(offset));
  return bytes;
}
