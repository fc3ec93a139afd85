import { jsonValueOf } from "../../core/json/json-value.ts";

/** The items of a stored JSON list that satisfy `isItem`; empty if it is missing or damaged. */
export function storedList<Item>(storage: Storage, key: string, isItem: (value: unknown) => value is Item): Item[] {
  const list = jsonValueOf(storage.getItem(key) ?? "[]");
  return Array.isArray(list) ? list.filter(isItem) : [];
}
