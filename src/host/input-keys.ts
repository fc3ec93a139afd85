/** Which keyed inputs were typed: the host's memory, so that a daemon that died between sending and hearing types nothing twice. */
import { hash } from "node:crypto";
import { LecternError } from "../core/errors.ts";
import type { Written } from "./messages.ts";

/** Of one session; the oldest is forgotten, and would be typed again. */
const KEYS_MAX = 10_000;

interface KeyedInput {
  readonly written: Written;
  /** Not the bytes themselves, which may be a secret. */
  readonly digest: string;
}

export class InputKeys {
  readonly #known = new Map<string, KeyedInput>();

  /** Where the input with this key stands. Throws `CONFLICT` where other bytes were typed with it. */
  find(key: string, bytes: Uint8Array): Written | undefined {
    const known = this.#known.get(key);
    if (known === undefined) return undefined;
    if (known.digest !== hash("sha256", bytes)) {
      throw new LecternError("CONFLICT", `Cannot type: the key "${key}" was used for other bytes; use a new one`);
    }
    return { ...known.written, already: true };
  }

  remember(key: string, bytes: Uint8Array, written: Written): void {
    this.#known.set(key, { written, digest: hash("sha256", bytes) });
    const [oldest] = this.#known.keys();
    if (this.#known.size > KEYS_MAX && oldest !== undefined) this.#known.delete(oldest);
  }
}
