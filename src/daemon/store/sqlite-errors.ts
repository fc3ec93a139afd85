/** What an error of SQLite means for the file. Only the message of an error crosses from a worker thread. */
import { errorMessage } from "../../core/errors.ts";

/** The file holds something that is not a whole database. */
export const isSqliteDamage = (error: unknown): boolean =>
  /file is not a database|disk image is malformed|malformed database schema|vtable constructor failed/.test(
    errorMessage(error),
  );

/** For contents that are a database, but not one that can be used. */
export const damaged = (reason: string): Error => new Error(`file is not a database of this kind: ${reason}`);

/** The file cannot be written, or not be opened, now: a full disk, a quota, a missing permission. */
export const isSqliteUnwritable = (error: unknown): boolean =>
  /disk is full|disk I\/O error|readonly database|unable to open database|ENOSPC|EDQUOT|EROFS/.test(
    errorMessage(error),
  );

/** In the words of SQLite, without what could not be used. */
export const reasonOf = (error: unknown): string => errorMessage(error).replace(/^Cannot use [^:]+: /, "");
