/** Where the whole of a long output goes. */

/** `kept`: it can be fetched by its hash; false where it was too long or the disk was full. */
export interface KeptBlob {
  /** SHA-256 of all bytes, lower-case hex. */
  readonly hash: string;
  readonly bytes: number;
  readonly kept: boolean;
}

export interface BlobWriter {
  write(chunk: Uint8Array): void;
  /** Nothing is written after it. */
  end(): KeptBlob;
  /** Nobody wants it. */
  discard(): void;
}

export interface BlobSink {
  open(): BlobWriter;
  /** The file of a blob that was kept, where it is the caller's own; a store gives blobs by their hashes instead. */
  pathOf?(hash: string): string;
}
