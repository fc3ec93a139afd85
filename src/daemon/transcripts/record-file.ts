/** A file in which an agent keeps its conversation, read as it grows. It is never written, and nothing in it is trusted. */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
  watch,
  type Stats,
} from "node:fs";
import { basename, dirname, join, sep } from "node:path";

/** A larger file is not read: its messages are those of the screen. */
export const RECORD_BYTES_MAX = 256 * 1024 * 1024;
const READ_BYTES_MAX = 64 * 1024;

export interface RecordPlace {
  /** The file must be below this directory, wherever links lead. */
  readonly root: string;
  /** It is in a sandbox, seen through the root of a process in it. */
  readonly isBoxed: boolean;
  /** The user that the agent runs as. */
  readonly userId: number;
}

/** A part of a record, as it grows. */
export interface RecordSource extends Disposable {
  /** The next bytes; empty at the end. Throws `RecordRefusal`. */
  readonly next: () => Uint8Array;
  /** What became of it: `replaced` if another one has its name or what was read is not there any more, `gone` if none has. Both end it. */
  readonly state: () => "same" | "replaced" | "gone";
}

/** Why a file is not read; its message goes into the journal. */
export class RecordRefusal extends Error {}

export class RecordFile implements RecordSource {
  readonly #descriptor: number;
  readonly #state: RecordState;
  #position = 0;
  #isClosed = false;

  private constructor(path: string, descriptor: number, opened: Stats) {
    this.#descriptor = descriptor;
    this.#state = new RecordState(path, opened);
  }

  /** Throws `RecordRefusal`. */
  static open(path: string, where: RecordPlace): RecordFile {
    const place = realPathBelow(path, where);
    let descriptor: number;
    try {
      // A pipe in its place would block, a link in its place may lead anywhere.
      descriptor = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    } catch (error) {
      throw new RecordRefusal(refusals[codeOf(error)] ?? `it cannot be opened (${codeOf(error)})`);
    }
    const stats = fstatSync(descriptor);
    const refusal = refusalOf(stats, { userId: where.userId, bytesMax: RECORD_BYTES_MAX });
    if (refusal === null) return new RecordFile(place, descriptor, stats);
    closeSync(descriptor);
    throw new RecordRefusal(refusal);
  }

  /** The next bytes, at most 64 KiB; empty at the end. Throws `RecordRefusal`. */
  next(): Uint8Array {
    const bytes = Buffer.allocUnsafe(READ_BYTES_MAX);
    try {
      const length = readSync(this.#descriptor, bytes, 0, bytes.length, this.#position);
      this.#position += length;
      if (this.#position > RECORD_BYTES_MAX) throw new RecordRefusal(tooLarge);
      return bytes.subarray(0, length);
    } catch (error) {
      if (error instanceof RecordRefusal) throw error;
      throw new RecordRefusal(`it cannot be read (${codeOf(error)})`);
    }
  }

  state(): "same" | "replaced" | "gone" {
    return this.#state.of(this.#position);
  }

  [Symbol.dispose](): void {
    if (!this.#isClosed) closeSync(this.#descriptor);
    this.#isClosed = true;
  }
}

/** Whether a file is still the one that was opened. */
export class RecordState {
  readonly #path: string;
  readonly #opened: Stats | undefined;

  constructor(path: string, opened: Stats | undefined) {
    this.#path = path;
    this.#opened = opened;
  }

  /** `position`: so many bytes of it were read. */
  of(position: number): "same" | "replaced" | "gone" {
    const now = statSync(this.#path, { throwIfNoEntry: false });
    if (now === undefined) return "gone";
    const isSame = now.ino === this.#opened?.ino && now.dev === this.#opened.dev;
    return isSame && now.size >= position ? "same" : "replaced";
  }
}

const tooLarge = `it is larger than ${RECORD_BYTES_MAX / 1024 / 1024} MiB`;

const refusals: Readonly<Record<string, string>> = {
  ELOOP: "a symbolic link is in its place",
  ENOENT: "it is not there",
  EACCES: "it may not be read",
};

export function refusalOf(
  stats: Stats,
  { bytesMax, userId }: { readonly bytesMax: number; readonly userId: number },
): string | null {
  if (stats.isSymbolicLink()) return refusals["ELOOP"] ?? "";
  if (!stats.isFile()) return "it is not a regular file";
  if (stats.uid !== userId) return "it belongs to another user";
  return stats.size > bytesMax ? tooLarge : null;
}

/** The path with its directory as it really is. Throws `RecordRefusal` for one outside of the root. */
export function realPathBelow(path: string, { isBoxed, root }: RecordPlace): string {
  try {
    if (isBoxed) return withoutLinks(path, root);
    const directory = realpathSync(dirname(path));
    if (`${directory}${sep}`.startsWith(`${realpathSync(root)}${sep}`)) return join(directory, basename(path));
  } catch (error) {
    if (error instanceof RecordRefusal) throw error;
    throw new RecordRefusal(refusals[codeOf(error)] ?? `it cannot be found (${codeOf(error)})`);
  }
  throw outside(root);
}

const outside = (root: string): RecordRefusal => new RecordRefusal(`it is not below "${root}"`);

/** Links of a sandbox lead to other places outside of it. */
function withoutLinks(path: string, root: string): string {
  if (!path.startsWith(`${root}${sep}`)) throw outside(root);
  for (let at = dirname(path); at.length > root.length; at = dirname(at))
    if (lstatSync(at).isSymbolicLink()) throw outside(root);
  return path;
}

export const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "unknown";

/** Reports what changes in the directory of a file. Undefined where that cannot be watched: the checks of each second remain. */
export function watchBeside(path: string, onChange: (file: string | null) => void): Disposable | undefined {
  try {
    const watcher = watch(dirname(path), { persistent: false }, (_, file) => onChange(file));
    watcher.on("error", () => watcher.close());
    return { [Symbol.dispose]: () => watcher.close() };
  } catch {
    // The directory has just been removed, or there are too many watchers.
    return undefined;
  }
}
