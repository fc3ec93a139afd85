/** Makes a journal from a replica: its frames byte for byte. What the replica does not have is not in the files, so each reader declares it as a gap. */
import { closeSync, openSync, writeSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { ReplicaReader, type ReplicaPart } from "../../core/replica-reader.ts";
import { FrameBytes, headerBytes } from "../../../../journal/frame.ts";
import { segmentPath } from "../../../../journal/segments.ts";
import type { ReplicaStream } from "./replica-stream.ts";

const SEGMENT_BYTES_MAX = 4 * 1024 * 1024;

/** The length of the raw frames; 0 if the cluster has none of the session. Replaces the directory as a whole; with a failure it stays as it was. */
export async function restoreJournal(stream: ReplicaStream, session: string, directory: string): Promise<number> {
  const making = `${directory}.making`;
  await rm(making, { recursive: true, force: true });
  await mkdir(making, { recursive: true, mode: 0o700 });
  const files = new SegmentFiles(making);
  try {
    const reader = new ReplicaReader({ frameLength, frameSpan: (length) => length - headerBytes, crc32 });
    for await (const { header, bytes } of stream.replica(session)) {
      for (const part of reader.feed({ ...header, bytes })) await files.take(part);
    }
    for (const part of reader.settle()) await files.take(part);
    files.close();
    if (files.bytes === 0) return 0;
    await rm(directory, { recursive: true, force: true });
    await rename(making, directory);
    return files.bytes;
  } finally {
    files.close();
    await rm(making, { recursive: true, force: true });
  }
}

const frameLength = (bytes: Uint8Array, at: number, offset: number): number =>
  new FrameBytes(bytes).frameLength(at, offset);

class SegmentFiles {
  readonly #directory: string;
  bytes = 0;
  #descriptor: number | undefined;
  #position = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async take(part: ReplicaPart): Promise<void> {
    switch (part.type) {
      case "epoch":
        return this.#begin();
      case "gap":
        return this.close();
      case "frames":
        return this.#append(part);
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  /** All that was written is not from the journal. */
  async #begin(): Promise<void> {
    this.close();
    this.bytes = 0;
    await rm(this.#directory, { recursive: true, force: true });
    await mkdir(this.#directory, { mode: 0o700 });
  }

  #append({ offset, bytes }: Extract<ReplicaPart, { readonly type: "frames" }>): void {
    if (this.#descriptor === undefined || this.#position >= SEGMENT_BYTES_MAX) {
      this.close();
      this.#descriptor = openSync(segmentPath(this.#directory, offset, "seg"), "w", 0o600);
      this.#position = 0;
    }
    for (let written = 0; written < bytes.length;) {
      written += writeSync(this.#descriptor, bytes, written, bytes.length - written);
    }
    this.#position += bytes.length;
    this.bytes += bytes.length;
  }
}
