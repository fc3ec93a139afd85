/** Blobs in memory. */
import { createHash } from "node:crypto";
import type { BlobSink, BlobWriter } from "../../src/terminal/blob-sink.ts";

export class MemoryBlobs implements BlobSink {
  readonly #kept = new Map<string, Buffer>();

  open(): BlobWriter {
    const chunks: Buffer[] = [];
    return {
      write: (chunk) => void chunks.push(Buffer.from(chunk)),
      end: () => {
        const bytes = Buffer.concat(chunks);
        const hash = createHash("sha256").update(bytes).digest("hex");
        this.#kept.set(hash, bytes);
        return { hash, bytes: bytes.length, kept: true };
      },
      discard: () => void chunks.splice(0),
    };
  }

  text(hash: string): string | undefined {
    return this.#kept.get(hash)?.toString();
  }
}
