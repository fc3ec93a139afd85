/**
 * One record on disk: a 32-byte header, big-endian, then the payload.
 *
 * | at | bytes | field                                                                              |
 * | -- | ----- | ---------------------------------------------------------------------------------- |
 * | 0  | 4     | magic `LJR1`                                                                       |
 * | 4  | 4     | length of the payload, 1 to `payloadBytesMax`                                      |
 * | 8  | 8     | offset                                                                             |
 * | 16 | 8     | time, microseconds since the Unix epoch                                            |
 * | 24 | 1     | type, an ASCII letter: o output, i input, r resize, m mark, x exit, g gap           |
 * | 25 | 1     | flags: 1 = secret                                                                  |
 * | 26 | 2     | reserved, 0                                                                        |
 * | 28 | 4     | CRC-32 (zlib) of bytes 0 to 27 and the payload, so every byte of a frame is checked  |
 */
import { crc32 } from "node:zlib";
import type { JournalRecord, RecordType } from "../protocol/records.ts";

export const headerBytes = 32;

/** The longest payload of one record. A greater length is not a frame, so a flipped bit cannot cause a huge read. */
export const payloadBytesMax = 16 * 1024 * 1024;

const magic = 0x4c4a5231;
/** How the magic reads in the file, to search for it. */
export const magicText = "LJR1";
const checkedHeaderBytes = 28;
const secretFlag = 1;
const twoTo32 = 2 ** 32;

const codeOfType: Readonly<Record<RecordType, number>> = {
  output: 0x6f,
  input: 0x69,
  resize: 0x72,
  mark: 0x6d,
  exit: 0x78,
  gap: 0x67,
};

const typeOfCode: ReadonlyMap<number, RecordType> = new Map(
  Object.entries(codeOfType).map(([type, code]) => [code, type as RecordType]),
);

/** The header fields of a frame, without its length and checksum. */
export type FrameFields = Omit<JournalRecord, "payload">;

/** A reusable header: nothing is allocated per record. */
export class HeaderBuffer {
  readonly bytes: Uint8Array = new Uint8Array(headerBytes);
  readonly #view = new DataView(this.bytes.buffer);
  readonly #checked = this.bytes.subarray(0, checkedHeaderBytes);

  /** Fills `bytes` with the header for `payload`. */
  encode(fields: FrameFields, payload: Uint8Array): void {
    const view = this.#view;
    view.setUint32(0, magic);
    view.setUint32(4, payload.length);
    view.setUint32(8, Math.floor(fields.offset / twoTo32));
    view.setUint32(12, fields.offset % twoTo32);
    view.setUint32(16, Math.floor(fields.timeUs / twoTo32));
    view.setUint32(20, fields.timeUs % twoTo32);
    view.setUint8(24, codeOfType[fields.type]);
    view.setUint8(25, fields.secret ? secretFlag : 0);
    view.setUint32(28, crc32(payload, crc32(this.#checked)));
  }
}

/** Bytes read from a segment, with access to the frames in them. */
export class FrameBytes {
  readonly bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /**
   * The length of the frame at `at`, including its header, if there is a header with this offset; 0 if the header
   * is incomplete; -1 if this is not such a frame. The frame may be longer than the bytes. The CRC is not checked.
   */
  frameLength(at: number, offset: number): number {
    if (this.bytes.length - at < headerBytes) return 0;
    const view = this.#view;
    const length = view.getUint32(at + 4);
    const valid =
      view.getUint32(at) === magic &&
      length > 0 &&
      length <= payloadBytesMax &&
      view.getUint32(at + 8) * twoTo32 + view.getUint32(at + 12) === offset;
    return valid ? headerBytes + length : -1;
  }

  /** The length of the frame at `at` by its length field alone, including the header; 0 if that field cannot be right. */
  claimedLength(at: number): number {
    if (this.bytes.length - at < headerBytes) return 0;
    const length = this.#view.getUint32(at + 4);
    return length > 0 && length <= payloadBytesMax ? headerBytes + length : 0;
  }

  /** Checks the CRC and the type of the frame of `length` bytes at `at`. */
  isIntact(at: number, length: number): boolean {
    const header = crc32(this.bytes.subarray(at, at + checkedHeaderBytes));
    const crc = crc32(this.bytes.subarray(at + headerBytes, at + length), header);
    return crc === this.#view.getUint32(at + 28) && typeOfCode.has(this.#view.getUint8(at + 24));
  }

  /** Only for intact frames. */
  type(at: number): RecordType {
    return typeOfCode.get(this.#view.getUint8(at + 24)) ?? "gap";
  }

  offset(at: number): number {
    return this.#view.getUint32(at + 8) * twoTo32 + this.#view.getUint32(at + 12);
  }

  timeUs(at: number): number {
    return this.#view.getUint32(at + 16) * twoTo32 + this.#view.getUint32(at + 20);
  }

  /** The record of an intact frame, without its first `skip` payload bytes. The payload is a view into the bytes. */
  record(at: number, length: number, skip = 0): JournalRecord {
    return {
      offset: this.offset(at) + skip,
      timeUs: this.timeUs(at),
      type: this.type(at),
      secret: (this.#view.getUint8(at + 25) & secretFlag) !== 0,
      payload: this.bytes.subarray(at + headerBytes + skip, at + length),
    };
  }
}
