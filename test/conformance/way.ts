/** A way to call the operations of the table: what it has to show so that the runner can run cases on it. */
import { LecternError, type ErrorCode } from "../../src/core/errors.ts";
import type { OperationName } from "../../src/protocol/operations.ts";

export const wayNames = ["http", "websocket", "mcp", "cli", "client", "local"] as const;
export type WayName = (typeof wayNames)[number];

export type Fields = Readonly<Record<string, unknown>>;

/** One call, with the input as it is in the case. */
export interface Call {
  readonly input: Fields;
  /** Of a stream: true for the last item to read. */
  readonly isLast: (item: unknown) => boolean;
}

/** How a way calls one operation. */
export interface Offer {
  /** The fields of the input that it can send. Default: all. */
  readonly takes?: readonly string[];
  /** The first field whose value it cannot send, although it takes others. */
  readonly refuses?: (input: Fields) => string | undefined;
  /** The fields of the answer that it shows. Default: all. */
  readonly gives?: readonly string[];
  /**
   * Resolves with the answer in the form of the operation table; of bytes with `{ text }`, of a stream with `{ items }`.
   * Rejects with a `LecternError` or a `WayError`.
   */
  readonly call: (call: Call) => Promise<unknown>;
}

export type Offers = { readonly [Name in OperationName]?: Offer };

/** Starts the programs of a case and waits for them. */
export interface Programs {
  /** Starts a program; the input of `sessions.create`. */
  start(input: Fields): Promise<void>;
  /** Resolves when the output of a session has matched. */
  untilOutput(session: string, pattern: string): Promise<void>;
  untilExit(session: string): Promise<void>;
  /** Ends those that only this process can end. */
  clear(): Promise<void>;
}

export interface Way extends AsyncDisposable {
  readonly name: WayName;
  readonly offers: Offers;
  readonly programs: Programs;
  /** False: its programs run in its own process, where no other way can call the operations that it does not offer. */
  readonly isShared: boolean;
}

/** An error as a way shows it. One that shows only an exit code may mean several codes. */
export class WayError extends Error {
  override readonly name = "WayError";
  readonly codes: readonly ErrorCode[];

  constructor(codes: readonly ErrorCode[], message: string) {
    super(message);
    this.codes = codes;
  }
}

export const codesOf = (error: unknown): readonly ErrorCode[] | undefined => {
  if (error instanceof WayError) return error.codes;
  return error instanceof LecternError ? [error.code] : undefined;
};

/** A record with the bytes of its output as text, so that a case can compare it. */
export function readableRecord(record: Fields): Fields {
  const { bytes, data, ...rest } = record;
  if (typeof data === "string") return { ...rest, text: Buffer.from(data, "base64").toString() };
  return bytes instanceof Uint8Array ? { ...rest, text: Buffer.from(bytes).toString() } : record;
}

/** An answer with its records as text. */
export function readableAnswer(answer: unknown): unknown {
  const { records } = answer as { readonly records?: readonly Fields[] };
  return records === undefined ? answer : { ...(answer as Fields), records: records.map(readableRecord) };
}

/** Text and bytes are one thing to type, and a way has room for one. */
export const refusesBoth = ({ text, data }: Fields): string | undefined =>
  text !== undefined && data !== undefined ? "data" : undefined;

/** A value of an input in a place where only text can be. */
export const word = (value: unknown): string => String(value);

/** The output among records or frames. */
export const outputIn = (records: readonly Fields[]): string =>
  records.map((record) => (typeof record["text"] === "string" ? record["text"] : "")).join("");

/** The items up to the last one that is wanted. */
export async function takeItems(items: AsyncIterable<unknown>, isLast: Call["isLast"]): Promise<unknown[]> {
  const taken: unknown[] = [];
  for await (const item of items) {
    taken.push(item);
    if (isLast(item)) break;
  }
  return taken;
}

export async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(chunks)).toString();
}
