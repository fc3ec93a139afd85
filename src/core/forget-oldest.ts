/**
 * Forgets the entry that was added first if there are more than `countMax`. Call it after each addition.
 *
 * @example
 * ```ts
 * const keys = new Set(["a", "b"]);
 * forgetOldest(keys, 1); // leaves "b"
 * ```
 */
export function forgetOldest(entries: Set<string> | Map<string, unknown>, countMax: number): void {
  const [oldest] = entries.keys();
  if (entries.size > countMax && oldest !== undefined) entries.delete(oldest);
}
