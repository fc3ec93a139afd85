/** Forgets the entry that was added first if there are more than `countMax`. Call it after each addition. */
export function forgetOldest(entries: Set<string> | Map<string, unknown>, countMax: number): void {
  const [oldest] = entries.keys();
  if (entries.size > countMax && oldest !== undefined) entries.delete(oldest);
}
