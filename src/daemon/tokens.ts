/** Who may do what: the owner's token in its file, and scoped tokens that the owner made. Only hashes are kept in memory. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { LecternError } from "../core/errors.ts";
import type { Scope } from "../protocol/routes.ts";
import { createPrivateFile, readPrivateFile } from "./secure-directory.ts";
import type { Caller } from "./service.ts";
import type { StoredToken } from "./store/schema.ts";
import type { Store } from "./store/store.ts";

const TOKEN_BYTES = 32;
const TOKENS_MAX = 1000;

export class Tokens {
  readonly #store: Store;
  readonly #tokens = new Map<string, StoredToken>();
  readonly #ownerHash: Buffer;

  constructor(store: Store, tokenFile: string, stored: readonly StoredToken[]) {
    this.#store = store;
    this.#ownerHash = hash(ownerToken(tokenFile));
    for (const token of stored) this.#tokens.set(token.id, token);
  }

  get all(): StoredToken[] {
    return [...this.#tokens.values()];
  }

  /** Compares with every token, so that the time says nothing about which one was close. */
  authenticate(text: string, now: Date): Caller | undefined {
    const given = hash(text);
    let caller: Caller | undefined;
    if (timingSafeEqual(given, this.#ownerHash)) {
      caller = { scope: "admin", session: null, token: "owner" };
    }
    for (const token of this.#tokens.values()) {
      const same = timingSafeEqual(given, Buffer.from(token.hash, "hex"));
      const valid = token.expiresAt === null || token.expiresAt > now.toISOString();
      if (same && valid) caller = { scope: token.scope, session: token.session, token: token.label || token.id };
    }
    return caller;
  }

  /** The text is returned here and kept nowhere. */
  async create(options: {
    readonly scope: Scope;
    readonly session: string | null;
    readonly label: string;
    readonly expiresAt: Date | null;
  }): Promise<{ readonly stored: StoredToken; readonly text: string }> {
    if (this.#tokens.size >= TOKENS_MAX) {
      throw new LecternError(
        "LIMIT_EXCEEDED",
        `${TOKENS_MAX} tokens exist: revoke some with "lectern token revoke ID"`,
      );
    }
    const text = randomBytes(TOKEN_BYTES).toString("base64url");
    const stored: StoredToken = {
      id: `t${randomBytes(5).toString("hex")}`,
      hash: hash(text).toString("hex"),
      scope: options.scope,
      session: options.session,
      label: options.label,
      createdAt: new Date().toISOString(),
      expiresAt: options.expiresAt?.toISOString() ?? null,
    };
    this.#tokens.set(stored.id, stored);
    await this.#store.putToken(stored);
    return { stored, text };
  }

  async revoke(id: string): Promise<void> {
    if (!this.#tokens.delete(id)) {
      throw new LecternError("NOT_FOUND", `Cannot find token "${id}": list all with "lectern token ls"`);
    }
    await this.#store.removeToken(id);
  }
}

/** The owner's token, made at the first start. Throws `UNSAFE_PERMISSIONS` for a file that others can read. */
function ownerToken(path: string): string {
  const existing = readPrivateFile(path)?.trim();
  if (existing !== undefined && existing !== "") return existing;
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  createPrivateFile(path, `${token}\n`);
  return token;
}

const hash = (text: string): Buffer => createHash("sha256").update(text).digest();
