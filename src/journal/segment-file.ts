/**
 * An open segment, plain or compressed. Positions refer to the uncompressed form, so the index and all readers
 * treat both alike. An open file stays readable after it is unlinked, so retention and compression do not
 * disturb readers.
 */
import { closeSync, fstatSync, openSync, read, readSync } from "node:fs";
import { promisify } from "node:util";
import { CompressedBlocks } from "./compressed-blocks.ts";
import { isMissing, segmentPath, type Segment } from "./segments.ts";

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

  /** Undefined if the file does not exist. The caller is the first user. */
  static open(directory: string, segment: Segment): SegmentFile | undefined {
    let descriptor: number;
    try {
      descriptor = openSync(segmentPath(directory, segment.base, segment.suffix), "r");
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
    try {
      const blocks = segment.suffix === "zseg" ? new CompressedBlocks(descriptor) : undefined;
      return new SegmentFile(segment.base, descriptor, blocks);
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }

  /** Tries the plain form a second time, in case the segment changed its form between the first two attempts. */
  static openAny(directory: string, base: number): SegmentFile | undefined {
    return (
      SegmentFile.open(directory, { base, suffix: "seg" }) ??
      SegmentFile.open(directory, { base, suffix: "zseg" }) ??
      SegmentFile.open(directory, { base, suffix: "seg" })
    );
  }

  /** Bytes of the plain form, now. */
  get size(): number {
    return this.#blocks?.size ?? fstatSync(this.#descriptor).size;
  }

  retain(): this {
    this.#users += 1;
    return this;
  }

  release(): void {
    this.#users -= 1;
    if (this.#users === 0) closeSync(this.#descriptor);
  }

  /** Fills `target` from `position` on and returns the byte count, which is smaller only at the end of the segment. */
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
