/**
 * An open segment, plain or compressed, addressed by the position in its plain form, so that the index and every
 * reader are the same for both. An open file survives that its name is unlinked: that is how readers survive
 * retention and compression.
 */
import { closeSync, openSync, read, readSync } from "node:fs";
import { promisify } from "node:util";
import { CompressedBlocks } from "./compressed-blocks.ts";
import { isMissing, segmentPath } from "./segments.ts";
import type { Segment } from "./segments.ts";

const readAsync = promisify(read);

/** A file descriptor that is closed when its last user has released it. */
export class SegmentFile {
  readonly base: number;
  readonly #descriptor: number;
  readonly #blocks: CompressedBlocks | undefined;
  #users = 1;

  private constructor(base: number, descriptor: number, blocks: CompressedBlocks | undefined) {
    this.base = base;
    this.#descriptor = descriptor;
    this.#blocks = blocks;
  }

  /** Undefined when the file is not there. The caller is the first user. */
  static open(directory: string, segment: Segment): SegmentFile | undefined {
    let descriptor: number;
    try {
      descriptor = openSync(segmentPath(directory, segment.base, segment.suffix), "r");
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
    try {
      const blocks = segment.suffix === "zseg" ? CompressedBlocks.open(descriptor) : undefined;
      return new SegmentFile(segment.base, descriptor, blocks);
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }

  /** Looks for the plain segment, then for the compressed one, then again for a switch that happened between. */
  static openAny(directory: string, base: number): SegmentFile | undefined {
    return (
      SegmentFile.open(directory, { base, suffix: "seg" }) ??
      SegmentFile.open(directory, { base, suffix: "zseg" }) ??
      SegmentFile.open(directory, { base, suffix: "seg" })
    );
  }

  retain(): this {
    this.#users += 1;
    return this;
  }

  release(): void {
    this.#users -= 1;
    if (this.#users === 0) closeSync(this.#descriptor);
  }

  /** Fills `target` from `position` on; fewer bytes only at the end of the segment. */
  readSync(position: number, target: Uint8Array): number {
    if (this.#blocks !== undefined) return this.#blocks.readSync(position, target);
    let filled = 0;
    while (filled < target.length) {
      const count = readSync(this.#descriptor, target, filled, target.length - filled, position + filled);
      if (count === 0) break;
      filled += count;
    }
    return filled;
  }

  async read(position: number, target: Uint8Array): Promise<number> {
    if (this.#blocks !== undefined) return this.#blocks.read(position, target);
    let filled = 0;
    while (filled < target.length) {
      const length = target.length - filled;
      const { bytesRead } = await readAsync(this.#descriptor, target, filled, length, position + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return filled;
  }
}
