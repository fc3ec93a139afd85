/** One-time codes that a browser exchanges for a cookie: ten minutes, one use, made from 256 random bits. */
import { createHash, randomBytes } from "node:crypto";
import type { Caller } from "../daemon/service.ts";

const LOGIN_CODE_MS = 600_000;
/** Codes that are good at one time: the oldest goes. */
const CODES_MAX = 32;

export class LoginCodes {
  /** By hash, so that the look-up takes the same time for every wrong code. In order of age. */
  readonly #codes = new Map<string, { caller: Caller; endsAtMs: number }>();

  /** A code that stands for what `caller` may do. */
  create(caller: Caller, nowMs: number): { code: string; expiresInMs: number } {
    this.#dropExpired(nowMs);
    for (const oldest of this.#codes.keys()) {
      if (this.#codes.size < CODES_MAX) break;
      this.#codes.delete(oldest);
    }
    const code = randomBytes(32).toString("base64url");
    this.#codes.set(hash(code), { caller, endsAtMs: nowMs + LOGIN_CODE_MS });
    return { code, expiresInMs: LOGIN_CODE_MS };
  }

  /** Whose code it is; undefined where it is unknown, used or expired. Ends the code. */
  redeem(code: string, nowMs: number): Caller | undefined {
    this.#dropExpired(nowMs);
    const key = hash(code);
    const entry = this.#codes.get(key);
    this.#codes.delete(key);
    return entry?.caller;
  }

  #dropExpired(nowMs: number): void {
    for (const [key, { endsAtMs }] of this.#codes) if (endsAtMs <= nowMs) this.#codes.delete(key);
  }
}

const hash = (code: string): string => createHash("sha256").update(code).digest("base64");
