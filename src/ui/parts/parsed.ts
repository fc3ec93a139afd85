/** The value of a JSON text; undefined if it is not valid JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The items of a stored JSON list that satisfy `isItem`; empty if it is missing or damaged. */
export function storedList<Item>(storage: Storage, key: string, isItem: (value: unknown) => value is Item): Item[] {
  const list = parsed(storage.getItem(key) ?? "[]");
  return Array.isArray(list) ? list.filter(isItem) : [];
}
