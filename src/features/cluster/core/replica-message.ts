/**
 * What a message of a replica carries beside its bytes. A replica is the journal of a session as messages of whole raw frames, byte for
 * byte. Positions are offsets of the journal, so a message states by itself what it holds: the sequence numbers of a broker may be used
 * again after it has lost its last messages, and are never trusted alone.
 */

/**
 * Why bytes between two messages are not in a replica.
 * - `trimmed`: the journal had removed them before they could be published.
 * - `damaged`: the journal has no intact records there.
 * - `too-large`: a record does not fit into a message.
 * - `lag`: the replica was too far behind.
 */
export type ReplicaGapReason = "trimmed" | "damaged" | "too-large" | "lag";

const REASONS: readonly ReplicaGapReason[] = ["trimmed", "damaged", "too-large", "lag"];

export interface ReplicaHeader {
  /** 1 for the first; a higher one replaces all messages of lower ones, because those were not from the journal as it is. */
  readonly epoch: number;
  /** The offset at which the epoch began. */
  readonly epochStart: number;
  /** The end of what the message continues; less than `offset` if it declares a gap in between. */
  readonly from: number;
  /** Of the first record. */
  readonly offset: number;
  /** Behind the last record. */
  readonly next: number;
  /** Only with a gap. */
  readonly gapReason?: ReplicaGapReason | undefined;
  /** Length of the raw frames, before compression. */
  readonly rawBytes: number;
  /** CRC-32 of the raw frames. */
  readonly crc: number;
}

/** The header of a message as a broker has it. */
export interface StoredHeader extends ReplicaHeader {
  /** Of the message in its stream. */
  readonly sequence: number;
}

const VERSION = "1";

/** One line of ASCII, for a header of the message. */
export function encodeReplicaHeader(header: ReplicaHeader): string {
  const { epoch, epochStart, from, offset, next, rawBytes, crc, gapReason } = header;
  return [VERSION, epoch, epochStart, from, offset, next, rawBytes, crc, gapReason ?? "-"].join(" ");
}

/** Undefined if it is not a header of this version, or contradicts itself. */
export function decodeReplicaHeader(text: string): ReplicaHeader | undefined {
  const fields = text.split(" ");
  const reason = fields.at(-1) ?? "";
  if (fields.length !== 9 || fields[0] !== VERSION || !fields.slice(1, 8).every(isNumber)) return undefined;
  const [epoch = 0, epochStart = 0, from = 0, offset = 0, next = 0, rawBytes = 0, crc = 0] = fields
    .slice(1, 8)
    .map(Number);
  const gapReason = REASONS.find((one) => one === reason);
  if (gapReason === undefined ? reason !== "-" || from !== offset : from >= offset) return undefined;
  const isOrdered = epoch >= 1 && epochStart <= from && offset < next && rawBytes > 0 && crc < 2 ** 32;
  return isOrdered ? { epoch, epochStart, from, offset, next, gapReason, rawBytes, crc } : undefined;
}

const isNumber = (field: string): boolean => /^(0|[1-9]\d{0,15})$/.test(field) && Number.isSafeInteger(Number(field));

/** The message that was published is the one that is stored, as far as headers can show it. */
export const isSameMessage = (left: StoredHeader, right: StoredHeader): boolean =>
  left.sequence === right.sequence &&
  left.epoch === right.epoch &&
  left.from === right.from &&
  left.offset === right.offset &&
  left.next === right.next &&
  left.crc === right.crc;
