/** Who may do what: the owner's token in its file, and scoped tokens that the owner made. Only hashes are kept in memory. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { renameSync, rmSync, statSync } from "node:fs";
import { LecternError } from "../../core/errors.ts";
import type { Scope } from "../../protocol/operations.ts";
import type { DaemonProblems } from "../problems.ts";
import { createPrivateFile, readPrivateFile } from "../../host/private-directory.ts";
import type { Caller } from "../service.ts";
import type { StoredToken } from "../store/schema.ts";
import type { Store } from "../store/store.ts";

const TOKEN_BYTES = 32;
/** Printable and not much shorter than what is written there: what is less has been cut. */
const TOKEN = /^[\x21-\x7e]{32,}$/;
const TOKENS_MAX = 1000;
/** A use within this time of the last one that is known is not written. */
const USE_NOTED_MS = 3_600_000;

export interface TokensOptions {
  readonly tokenFile: string;
  readonly stored: readonly StoredToken[];
  readonly problems: DaemonProblems;
}

export class Tokens {
  readonly #store: Store;
  readonly #tokens = new Map<string, StoredToken>();
  readonly #ownerHash: Buffer;

  constructor(store: Store, { tokenFile, stored, problems }: TokensOptions) {
    this.#store = store;
    this.#ownerHash = hash(ownerToken(tokenFile, problems));
    for (const token of stored) this.#tokens.set(token.id, token);
  }

  get all(): StoredToken[] {
    return [...this.#tokens.values()];
  }

  /** Compares with every token, so that the time says nothing about which one was close. */
  authenticate(text: string, now: Date): Caller | undefined {
    const given = hash(text);
    let caller: Caller | undefined;
    if (timingSafeEqual(given, this.#ownerHash)) caller = { scope: "admin", session: null, token: "owner" };
    for (const token of this.#tokens.values()) {
      const same = timingSafeEqual(given, Buffer.from(token.hash, "hex"));
      const valid = token.expiresAt === null || token.expiresAt > now.toISOString();
      if (!same || !valid) continue;
      caller = { scope: token.scope, session: token.session, token: token.label || token.id };
      this.#noteUse(token, now);
    }
    return caller;
  }

  /** Only for a list: where the disk is full, the next use is written. */
  #noteUse(token: StoredToken, now: Date): void {
    if (token.lastUsedAt !== null && now.getTime() - Date.parse(token.lastUsedAt) < USE_NOTED_MS) return;
    const lastUsedAt = now.toISOString();
    this.#tokens.set(token.id, { ...token, lastUsedAt });
    void this.#store.rows.putTokenUse(token.id, lastUsedAt).catch(() => {
      if (this.#tokens.has(token.id)) this.#tokens.set(token.id, token);
    });
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
      lastUsedAt: null,
    };
    // Not before it is on disk: a token that the next daemon does not know is of no use.
    await this.#store.rows.putToken(stored);
    this.#tokens.set(stored.id, stored);
    return { stored, text };
  }

  async revoke(id: string): Promise<void> {
    if (!this.#tokens.delete(id))
      throw new LecternError("NOT_FOUND", `Cannot find token "${id}": list all with "lectern token ls"`);
    if (await this.#store.removeToken(id)) return;
    throw new LecternError(
      "JOURNAL_WRITE_FAILED",
      `Token "${id}" is revoked, but the disk is full: it is valid again if the daemon restarts before there is space`,
    );
  }
}

/**
 * The owner's token, created at the first start. One that was cut short or overwritten is replaced; where the file cannot be written, the
 * token lives as long as the daemon. Throws `UNSAFE_PERMISSIONS` for a file that others can read.
 */
function ownerToken(path: string, problems: DaemonProblems): string {
  const existing = readToken(path);
  if (existing !== undefined && TOKEN.test(existing)) return existing;
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  try {
    if (existing !== undefined) putAside(path);
    createPrivateFile(path, `${token}\n`);
    if (existing !== undefined) {
      problems.note(
        `The token file "${path}" was damaged: it has a new token, and clients that have the old one need it`,
      );
    }
  } catch (cause) {
    const why = `Cannot write the token file "${path}": ${(cause as Error).message}`;
    problems.set(
      "token file",
      `${why}; the token is in memory only, so make room or remove it, and restart the daemon`,
    );
  }
  return token;
}

/** Undefined where there is no file; empty where it cannot be a token. */
function readToken(path: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return "";
  try {
    return readPrivateFile(path)?.trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EACCES") return "";
    throw error;
  }
}

/** A directory is never removed: somebody else made it. */
function putAside(path: string): void {
  if (statSync(path).isDirectory()) renameSync(path, `${path}.damaged-${Date.now()}`);
  else rmSync(path);
}

const hash = (text: string): Buffer => createHash("sha256").update(text).digest();
