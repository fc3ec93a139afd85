/** The journals in the data directory, without a daemon. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { LecternError } from "../../core/errors.ts";
import { META_FILE } from "../store/stored-session.ts";
import { checkJournal, type JournalCheck, type JournalCheckOptions } from "../../journal/check.ts";
import { isMissing, listFiles } from "../../journal/segments.ts";
import { readJsonFile } from "../../host/json-file.ts";

export interface StoredJournal {
  readonly id: string;
  readonly name: string;
  readonly directory: string;
  /** Where it ended when the session ended; undefined if the session runs or its description cannot be read. */
  readonly end: number | undefined;
}

/** As the daemon resolves them: an id, a name, or the beginning of an id. */
const PREFIX_LENGTH_MIN = 4;

/**
 * Those of the given sessions, or all.
 *
 * @throws LecternError `SESSION_NOT_FOUND`
 */
export function findJournals(sessionsDirectory: string, references: readonly string[]): StoredJournal[] {
  const all = namesIn(sessionsDirectory)
    .map((id) => readJournal(sessionsDirectory, id))
    .filter((journal) => journal !== undefined);
  if (references.length === 0) return all;
  return references.flatMap((reference) => {
    const found = matches(all, reference);
    if (found.length > 0) return found;
    const message = `Cannot find a journal of session "${reference}": list all sessions with "lectern ls -a"`;
    throw new LecternError("SESSION_NOT_FOUND", message);
  });
}

/** Several sessions that have ended can have the same name: all of them are meant. */
function matches(all: readonly StoredJournal[], reference: string): StoredJournal[] {
  const exact = all.filter(({ id }) => id === reference);
  if (exact.length > 0) return exact;
  const named = all.filter(({ name }) => name === reference);
  if (named.length > 0 || reference.length < PREFIX_LENGTH_MIN) return named;
  return all.filter(({ id }) => id.startsWith(reference));
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).toSorted();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function readJournal(sessionsDirectory: string, id: string): StoredJournal | undefined {
  const directory = join(sessionsDirectory, id);
  try {
    if (!listFiles(directory).some(({ suffix }) => suffix === "seg" || suffix === "zseg")) return undefined;
  } catch {
    return undefined;
  }
  const meta = readMeta(join(directory, META_FILE));
  const hasEnded = typeof meta["exit"] === "object" && meta["exit"] !== null;
  const end = hasEnded && typeof meta["end"] === "number" ? meta["end"] : undefined;
  return { id, directory, name: typeof meta["name"] === "string" ? meta["name"] : id, end };
}

function readMeta(path: string): Readonly<Record<string, unknown>> {
  const meta = readJsonFile(path);
  return typeof meta === "object" && meta !== null ? { ...meta } : {};
}

export type StoredJournalCheck = JournalCheck;

/** Verifies every record. */
export const checkStored = (
  { directory, end }: StoredJournal,
  options: Omit<JournalCheckOptions, "end">,
): Promise<StoredJournalCheck> => checkJournal(directory, { ...options, end });
