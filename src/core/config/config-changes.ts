/** What a new version of a file changes. */
import { dataAt } from "./config-values.ts";
import { keysOf, type ConfigEntry, type PlacedKey } from "./config-section.ts";
import type { ConfigData } from "./check-config.ts";

/** The keys whose data differ, in the order of the sections. */
export function changedKeys(
  sections: Readonly<Record<string, ConfigEntry>>,
  before: ConfigData,
  after: ConfigData,
): readonly PlacedKey[] {
  const isSame = ({ path }: PlacedKey): boolean => canonical(dataAt(before, path)) === canonical(dataAt(after, path));
  return Object.entries(sections)
    .flatMap(([name, entry]) => keysOf(name, entry))
    .filter((key) => !isSame(key));
}

/** The same text for the same data, whatever the order of its keys. */
const canonical = (data: unknown): string | undefined =>
  JSON.stringify(data, (_key, value: unknown) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1)))
      : value,
  );
