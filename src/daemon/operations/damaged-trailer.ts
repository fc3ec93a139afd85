/** The damaged parts that a reader has passed, for the end of its answer: they are not known before. */
import { DAMAGED_TRAILER, encodeDamagedRanges, type OffsetRange } from "../../protocol/damaged-ranges.ts";
import { decodeGap } from "../../protocol/payloads.ts";
import type { JournalRecord } from "../../protocol/records.ts";

export class DamagedTrailer {
  readonly name = DAMAGED_TRAILER;
  readonly #ranges: OffsetRange[] = [];

  /** A gap of any reason. */
  readonly note = ({ payload }: Pick<JournalRecord, "payload">): void => {
    const gap = decodeGap(payload);
    const last = this.#ranges.at(-1);
    if (gap.reason !== "damaged") return;
    // A gap can come in two parts, from two reads.
    if (last?.to === gap.from) this.#ranges[this.#ranges.length - 1] = { from: last.from, to: gap.to };
    else this.#ranges.push({ from: gap.from, to: gap.to });
  };

  value(): string | undefined {
    return this.#ranges.length === 0 ? undefined : encodeDamagedRanges(this.#ranges);
  }
}
