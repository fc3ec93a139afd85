/** All sessions by id, and how a reference is resolved. Every change is written to the store. */
import { randomBytes } from "node:crypto";
import { basename } from "node:path";
import { LecternError } from "../../core/errors.ts";
import { isNoSpace } from "../../core/no-space.ts";
import type { SessionEntry } from "./session-entry.ts";
import type { Store } from "../store/store.ts";
import type { StoredSession } from "../store/stored-session.ts";

const ID_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const ID_LENGTH = 10;
const PREFIX_LENGTH_MIN = 4;
/** Keeps listing and searching fast; `rm` makes room. */
const SESSIONS_MAX = 100_000;

type SessionStore = Pick<Store, "putSession" | "removeSession">;

export class SessionRegistry {
  readonly #entries = new Map<string, SessionEntry>();
  readonly #store: SessionStore;
  readonly #writeFile: (entry: SessionEntry) => Promise<void>;
  /** The last write of the file of each session: two at once would write the same temporary file. */
  readonly #writing = new WeakMap<SessionEntry, Promise<void>>();
  /** What the file of each session has. */
  readonly #filed = new WeakMap<SessionEntry, StoredSession>();
  readonly #listeners = new Set<(id: string, entry: SessionEntry | undefined) => void>();

  /** `writeFile` writes `session.json`, from which a lost registry is rebuilt; default: sessions have no such file. */
  constructor(store: SessionStore, writeFile: (entry: SessionEntry) => Promise<void> = async () => {}) {
    this.#store = store;
    this.#writeFile = writeFile;
  }

  get all(): MapIterator<SessionEntry> {
    return this.#entries.values();
  }

  get(id: string): SessionEntry | undefined {
    return this.#entries.get(id);
  }

  /** Adds an entry. It is in the registry before anything is awaited, so that its name is taken. */
  async add(entry: SessionEntry): Promise<void> {
    if (this.#entries.size >= SESSIONS_MAX)
      throw new LecternError("LIMIT_EXCEEDED", `${SESSIONS_MAX} sessions are kept: remove some with "lectern rm"`);
    this.#entries.set(entry.id, entry);
    this.#link(entry);
    this.#tell(entry.id);
    await this.#store.putSession(entry.stored);
  }

  restore(...entries: readonly SessionEntry[]): void {
    for (const entry of entries) this.#entries.set(entry.id, entry);
    for (const entry of this.#entries.values()) this.#link(entry);
  }

  /** The newest session that continues another one. */
  #link({ id, stored: { continues, createdAt } }: SessionEntry): void {
    const before = continues === undefined ? undefined : this.#entries.get(continues);
    if (before === undefined) return;
    const other = before.continuedBy === null ? undefined : this.#entries.get(before.continuedBy);
    if (other === undefined || other.stored.createdAt <= createdAt) before.continuedBy = id;
    this.#tell(before.id);
  }

  /** The session that continued it has failed or was removed. */
  unlink(continued: string | undefined): void {
    const before = continued === undefined ? undefined : this.#entries.get(continued);
    if (before === undefined) return;
    before.continuedBy = null;
    this.#tell(before.id);
    for (const entry of this.all) if (entry.stored.continues === continued) this.#link(entry);
  }

  /** Reports a change that is saved later. */
  announce(entry: SessionEntry): void {
    if (this.#entries.has(entry.id)) this.#tell(entry.id);
  }

  /**
   * Writes a session as it is now to the registry and to its `session.json`: the only way in which a change is saved. Resolves if the disk
   * refuses: the row is written later, and the file is only read if the registry is lost. With `needsFile` it rejects without the file.
   */
  async save(entry: SessionEntry, { needsFile = false } = {}): Promise<void> {
    if (!this.#entries.has(entry.id)) return;
    this.#tell(entry.id);
    await this.#store.putSession(entry.stored);
    if (!hasNews(entry.stored, this.#filed.get(entry))) return;
    const written = (this.#writing.get(entry) ?? Promise.resolve()).then(() => this.#replaceFile(entry));
    this.#writing.set(
      entry,
      written.catch(() => undefined),
    );
    try {
      await written;
    } catch (error) {
      if (needsFile) throw error;
      // A session that was removed meanwhile has no directory.
      if (!isNoSpace(error) && this.#entries.has(entry.id))
        entry.damage ??= `its session.json cannot be written (${String(error)}): the session goes on, and a lost registry would not have its name`;
    }
  }

  async #replaceFile(entry: SessionEntry): Promise<void> {
    if (!this.#entries.has(entry.id)) return;
    const { stored } = entry;
    await this.#writeFile(entry);
    this.#filed.set(entry, stored);
  }

  /** Calls back with a session that was added or changed, and with its id alone when it was removed. */
  subscribe(listener: (id: string, entry: SessionEntry | undefined) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  #tell(id: string): void {
    for (const listener of this.#listeners) listener(id, this.#entries.get(id));
  }

  /** `putAside` takes its directory away, before the row and when nothing is written into it any more. */
  async remove(id: string, putAside: () => Promise<void> = async () => {}): Promise<void> {
    const entry = this.#entries.get(id);
    const continued = entry?.stored.continues;
    this.#entries.delete(id);
    this.#tell(id);
    this.unlink(continued);
    if (entry !== undefined) await this.#writing.get(entry);
    await putAside();
    await this.#store.removeSession(id);
  }

  /**
   * The session that a reference means: an id; otherwise a name, of a live session before an ended one and then the
   * newest; otherwise the only id with this beginning. Throws `SESSION_NOT_FOUND`, or `CONFLICT` if several begin so.
   */
  resolve(reference: string): SessionEntry {
    const exact = this.#entries.get(reference);
    if (exact !== undefined) return exact;
    const named = this.#preferred([...this.all].filter((entry) => entry.stored.name === reference));
    if (named !== undefined) return named;
    const begun =
      reference.length < PREFIX_LENGTH_MIN ? [] : [...this.all].filter(({ id }) => id.startsWith(reference));
    if (begun.length > 1)
      throw new LecternError("CONFLICT", `"${reference}" is the beginning of ${begun.length} ids: type more of it`);
    const [only] = begun;
    if (only === undefined)
      throw new LecternError("SESSION_NOT_FOUND", `Cannot find session "${reference}": list all with "lectern ls -a"`);
    return only;
  }

  /** Throws `NAME_TAKEN` if a live session has the name. The name of an ended one can be reused. */
  assertNameFree(name: string, except?: SessionEntry): void {
    const holder = this.#liveNamed(name);
    if (holder === undefined || holder === except) return;
    throw new LecternError(
      "NAME_TAKEN",
      `Name "${name}" is taken by the running session ${holder.id}: choose another, or rename or kill that one`,
    );
  }

  /** The program's name, with a number if a live session has that name already. */
  freeNameFor(command: readonly string[]): string {
    const program = basename(command[0] ?? "")
      .replaceAll(/[^A-Za-z0-9._-]/g, "-")
      .replace(/^[._-]+/, "")
      .slice(0, 48);
    const stem = program === "" ? "session" : program;
    for (let number = 1; ; number++) {
      const name = number === 1 ? stem : `${stem}-${number}`;
      if (this.#liveNamed(name) === undefined) return name;
    }
  }

  freshId(): string {
    for (;;) {
      const id = Array.from(randomBytes(ID_LENGTH), (byte) => ID_ALPHABET[byte & 31]).join("");
      if (!this.#entries.has(id)) return id;
    }
  }

  #liveNamed(name: string): SessionEntry | undefined {
    for (const entry of this.all) if (entry.live && entry.stored.name === name) return entry;
    return undefined;
  }

  #preferred(entries: readonly SessionEntry[]): SessionEntry | undefined {
    const newestFirst = entries.toSorted((a, b) => (a.stored.createdAt < b.stored.createdAt ? 1 : -1));
    return newestFirst.find((entry) => entry.live) ?? newestFirst[0];
  }
}

/** Whether the file lacks a change; what is new at each start of a daemon is found in the host and the journal. */
function hasNews(stored: StoredSession, filed: StoredSession | undefined): boolean {
  const [now, before]: Readonly<Record<string, unknown>>[] = [{ ...stored }, { ...filed }];
  const isNews = (name: string): boolean => !["state", "pid", "end"].includes(name) && now?.[name] !== before?.[name];
  return Object.keys({ ...now, ...before }).some(isNews);
}
