/** Remembers which keyed records were appended, so that a daemon that died before it got the answer does not append them twice. */
import { hash } from "node:crypto";
import { LecternError } from "../core/errors.ts";
import { forgetOldest } from "../core/forget-oldest.ts";
import type { Written } from "./messages.ts";

/** Per session. Beyond this the oldest key is forgotten, so its record could be appended again. */
const KEYS_MAX = 10_000;

interface KeyedRecord {
  readonly written: Written;
  /** A digest, because the bytes may be a secret. */
  readonly digest: string;
}

export class AppendKeys {
  readonly #known = new Map<string, KeyedRecord>();

  /** The offsets of the record with this key. Throws `CONFLICT` if it was used for other bytes. */
  find(key: string, bytes: Uint8Array): Written | undefined {
    const known = this.#known.get(key);
    if (known === undefined) return undefined;
    if (known.digest !== hash("sha256", bytes))
      throw new LecternError("CONFLICT", `Cannot append: the key "${key}" was used for other bytes; use a new one`);
    return { ...known.written, already: true };
  }

  remember(key: string, bytes: Uint8Array, written: Written): void {
    forgetOldest(this.#known.set(key, { written, digest: hash("sha256", bytes) }), KEYS_MAX);
  }
}
