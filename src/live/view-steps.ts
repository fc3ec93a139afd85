/** Feeds records of a journal to a view: the same in a worker thread and for a recording. */
import type { Mark } from "../core/records.ts";
import type { ViewChange } from "../core/views/change.ts";
import type { SessionView } from "../core/views/session-view.ts";
import { decodeExit, decodeMark } from "../protocol/payloads.ts";
import type { JournalRecord } from "../protocol/records.ts";
import { batchOf } from "./view-batch.ts";
import type { BatchPiece } from "./view-messages.ts";

/** A view, and what is known of its session besides the journal. */
export interface KnownView {
  readonly view: SessionView;
  /** The agent that the program is; null if the command shows it. */
  readonly agent: string | null;
}

/** A record of a recording. */
export function playRecord(known: KnownView, record: JournalRecord): ViewChange[] {
  const { offset, payload, timeUs } = record;
  return record.type === "output"
    ? [...known.view.output(payload, offset, timeUs).changes]
    : besideOutput(known, record);
}

/** A record of a flood: its output is not drawn. */
export function skimRecord(known: KnownView, record: JournalRecord): ViewChange[] {
  const { offset, payload, timeUs } = record;
  return record.type === "output" ? known.view.undrawn(payload, offset, timeUs) : besideOutput(known, record);
}

function besideOutput(known: KnownView, record: JournalRecord): ViewChange[] {
  const { bytes, pieces } = batchOf([record], record.offset, []);
  return pieces.flatMap((piece) => stepPiece(known, piece, bytes));
}

/** Everything but output that is drawn. */
export function stepPiece(known: KnownView, piece: BatchPiece, bytes: Uint8Array): ViewChange[] {
  const { view } = known;
  const { offset, timeUs } = piece;
  switch (piece.type) {
    case "output":
      return [];
    case "resize":
      return view.resize(piece.columns, piece.rows, timeUs);
    case "gap":
      return view.gap(offset, timeUs);
    case "skip":
      view.skip();
      return view.undrawn(bytes, offset, timeUs);
    case "input":
    case "secret":
      return view.step({ type: "input", bytes, isSecret: piece.type === "secret", offset, timeUs });
    case "exit": {
      const { code, signal } = decodeExit(bytes);
      return view.step({ type: "exit", code, signal, offset, timeUs });
    }
    case "mark":
      return mark(known, decodeMark(bytes), { offset, end: offset + bytes.length, timeUs });
  }
}

function mark(
  { agent, view }: KnownView,
  event: Mark,
  place: { readonly offset: number; readonly end: number; readonly timeUs: number },
): ViewChange[] {
  const { offset, timeUs } = place;
  switch (event.type) {
    case "session-start": {
      const { columns, rows, command, eventNonce, timeZone } = event;
      const known = {
        ...(eventNonce !== undefined && { eventNonce }),
        ...(timeZone !== undefined && { timeZone }),
        ...(agent !== null && { agent }),
      };
      return [
        ...view.resize(columns, rows, timeUs),
        ...view.step({ type: "start", command, ...known, offset, timeUs }),
      ];
    }
    case "foreground": {
      const { timerAtMs: _, ...facts } = event;
      return view.step({ ...facts, offset, timeUs });
    }
    default:
      return view.step({ type: "mark", event, ...place });
  }
}
