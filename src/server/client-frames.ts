/** What an attached client sends: input, window, resize, signal, take, ack. Decoded, checked, and put in order behind what came before. */
import * as z from "zod";
import { LecternError } from "../core/errors.ts";
import { decodeInput, decodeNumberedInput, type ClientMessage } from "../protocol/attach-frames.ts";
import { operations } from "../protocol/operations.ts";
import { offsetSchema } from "../protocol/session.ts";
import type { SessionAttachment } from "../daemon/service.ts";
import type { ClientInputQueue } from "./input-queue.ts";
import { parseBody } from "./parse-body.ts";

interface Receiver {
  readonly readOnly: boolean;
  readonly attachment: SessionAttachment;
  readonly inputs: ClientInputQueue;
  readonly onAck: (offset: number) => void;
  readonly numbered: NumberedInput;
}

/** How numbered input is answered. */
interface NumberedInput {
  taken(number: number, bytes: number): void;
  refuse(number: number, error: unknown): void;
  /** A part of this write was refused: the rest of it is dropped. */
  isRefused(number: number): boolean;
}

const { columns, rows } = operations["sessions.resize"].input.shape;
const { signal: signalName } = operations["sessions.signal"].input.shape;

const schemas: { readonly [Type in ClientMessage["type"]]: z.ZodType<Extract<ClientMessage, { type: Type }>> } = {
  window: z.strictObject({ type: z.literal("window"), columns, rows }),
  resize: z.strictObject({ type: z.literal("resize"), columns, rows }),
  ack: z.strictObject({ type: z.literal("ack"), offset: offsetSchema }),
  signal: z.strictObject({ type: z.literal("signal"), name: signalName }),
  take: z.strictObject({ type: z.literal("take") }),
};
const anyMessage = z.union(Object.values(schemas));

/** An error after which the connection is closed with this code (RFC 6455, section 7.4.1). */
class FrameError extends LecternError {
  readonly closeCode: number;

  constructor(code: number, message: string) {
    super("MALFORMED", message);
    this.closeCode = code;
  }
}

/** The close code of an error that ends the connection; undefined for one that the client is only told about. */
export const closeCode = (error: unknown): number | undefined =>
  error instanceof FrameError ? error.closeCode : undefined;

/** Throws what `closeCode` knows for a frame that breaks the protocol, and a `LecternError` for one that is refused. */
export function handleFrame(data: Uint8Array, isBinary: boolean, receiver: Receiver): void {
  if (isBinary) handleInput(data, receiver);
  else handleMessage(decodeMessage(data), receiver);
}

function handleInput(data: Uint8Array, receiver: Receiver): void {
  const part = decodeNumberedInput(data);
  if (part !== undefined) return handleNumbered(part, receiver);
  const bytes = decodeInput(data);
  if (bytes === undefined) throw new FrameError(1003, "Cannot take a binary frame of this type");
  refuseReader(receiver);
  if (bytes.length === 0) return;
  push(receiver, bytes.length, () => receiver.attachment.input(bytes));
}

function handleNumbered({ number, bytes }: { number: number; bytes: Uint8Array }, receiver: Receiver): void {
  const { attachment, numbered } = receiver;
  const type = async (): Promise<void> => {
    if (numbered.isRefused(number)) return;
    try {
      if (bytes.length > 0) await attachment.input(bytes);
      numbered.taken(number, bytes.length);
    } catch (error) {
      numbered.refuse(number, error);
    }
  };
  try {
    refuseReader(receiver);
    if (!numbered.isRefused(number)) push(receiver, bytes.length, type);
  } catch (error) {
    numbered.refuse(number, error);
  }
}

function handleMessage(message: ClientMessage, receiver: Receiver): void {
  switch (message.type) {
    case "ack":
      receiver.onAck(message.offset);
      return;
    case "window":
      refuseReader(receiver);
      push(receiver, 0, () => receiver.attachment.setWindow({ columns: message.columns, rows: message.rows }));
      return;
    case "resize":
      refuseReader(receiver);
      push(receiver, 0, () => receiver.attachment.resize({ columns: message.columns, rows: message.rows }));
      return;
    case "signal":
      refuseReader(receiver);
      push(receiver, 0, () => receiver.attachment.signal(message.name));
      return;
    case "take":
      refuseReader(receiver);
      receiver.attachment.take();
  }
}

function decodeMessage(data: Uint8Array): ClientMessage {
  let value: unknown;
  try {
    value = parseBody(data);
  } catch {
    throw new FrameError(1007, "Cannot read the message: it is not JSON");
  }
  const type = typeof value === "object" && value !== null && "type" in value ? value.type : undefined;
  if (typeof type !== "string" || !Object.hasOwn(schemas, type))
    throw new FrameError(1003, "Cannot take a message of this type");
  const result = anyMessage.safeParse(value);
  if (result.success) return result.data;
  throw new LecternError("INVALID_INPUT", `Cannot take a message of type "${type}": its values are out of range`);
}

function refuseReader({ readOnly }: Receiver): void {
  if (readOnly) throw new LecternError("FORBIDDEN", "Cannot type here: this attachment is read-only");
}

function push({ inputs }: Receiver, bytes: number, action: () => Promise<void>): void {
  if (inputs.push(bytes, action)) return;
  throw new LecternError(
    "LIMIT_EXCEEDED",
    "Cannot queue more input: the program is not reading; this frame was dropped",
  );
}
