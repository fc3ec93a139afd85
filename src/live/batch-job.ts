/** A batch of records on its way into a view, in slices, so that it can be interrupted. */
import type { SessionView } from "../core/views/session-view.ts";
import type { ViewChange } from "../core/views/change.ts";
import { endOfSequences } from "../core/vt/costly-sequences.ts";
import { stepPiece, type KnownView } from "./view-steps.ts";
import { sliceBytes, type BatchPiece, type Reply, type ToWorker } from "./view-messages.ts";

type Feed = Extract<ToWorker, { type: "feed" }>;

/** What the expensive sequences of a slice may take. */
const SLICE_MS = 16;
/** The most expensive sequence (`ESC c`, then REP), as measured: for itself, and for each cell of the screen. */
const SEQUENCE_MS = 0.4;
const CELL_MS = 0.000_05;
export class BatchJob {
  readonly #batch: Feed;
  readonly replies: Reply[] = [];
  readonly changes: ViewChange[] = [];
  /** What the emulator has taken for its slices so far, by the clock of the screen. */
  spentMs = 0;
  /** Everything before this offset is in the view. */
  next: number;
  #piece = 0;
  /** Within the current piece. */
  #done = 0;
  /** Of the current piece in the bytes of the batch. */
  #start = 0;

  constructor(batch: Feed) {
    this.#batch = batch;
    this.next = batch.from;
  }

  /** Nothing of it was done. */
  get isNew(): boolean {
    return this.#piece === 0 && this.#done === 0;
  }

  get isDone(): boolean {
    return this.#piece >= this.#batch.pieces.length;
  }

  /** Does the next slice or piece. `onSlice` is called before it, with the offsets of what is drawn; equal ones if nothing is. */
  step(known: KnownView, onSlice: (from: number, to: number) => void): void {
    const piece = this.#batch.pieces[this.#piece];
    if (piece === undefined) return;
    const bytes = this.#batch.bytes.subarray(this.#start, this.#start + piece.length);
    if (piece.type === "output") this.#draw(known.view, piece, { bytes, onSlice });
    else {
      onSlice(piece.offset, piece.offset);
      this.changes.push(...stepPiece(known, piece, bytes));
      this.#done = piece.length;
    }
    if (this.#done < piece.length) return;
    this.#piece += 1;
    this.#start += piece.length;
    this.#done = 0;
    // A gap has no length here and takes offsets in the journal, so that only the next piece tells where it ends.
    this.next = this.#batch.pieces[this.#piece]?.offset ?? this.#batch.next;
  }

  #draw(
    view: SessionView,
    piece: BatchPiece,
    { bytes, onSlice }: { bytes: Uint8Array; onSlice: (from: number, to: number) => void },
  ): void {
    const end = sliceEnd(bytes, this.#done, view.screen.columns * view.screen.rows);
    const slice = bytes.subarray(this.#done, end);
    const from = piece.offset + this.#done;
    this.next = from + slice.length;
    onSlice(from, this.next);
    const before = view.screen.drawnMs;
    const { changes, replies } = view.output(slice, from, piece.timeUs);
    this.spentMs += view.screen.drawnMs - before;
    for (const reply of replies) this.replies.push({ offset: this.next, timeUs: piece.timeUs, bytes: reply });
    if (changes.length > 0) this.changes.push(...changes);
    this.#done = end;
  }
}

/** Where the slice at `from` ends: it is short, and before it has more expensive sequences than fit into `SLICE_MS`. */
export function sliceEnd(bytes: Uint8Array, from: number, cells: number): number {
  const costlyMax = Math.max(1, Math.floor(SLICE_MS / (SEQUENCE_MS + cells * CELL_MS)));
  return endOfSequences(bytes, { from, to: Math.min(bytes.length, from + sliceBytes), costlyMax });
}
