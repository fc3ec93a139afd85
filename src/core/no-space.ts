/** `SQLITE_FULL` of https://sqlite.org/rescode.html. */
const SQLITE_FULL = 13;

/** Whether the disk or the quota is full, by the error of the system or of SQLite, or by what caused it. */
export function isNoSpace(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  return code === "ENOSPC" || code === "EDQUOT" || errcode === SQLITE_FULL || isNoSpace(error.cause);
}
