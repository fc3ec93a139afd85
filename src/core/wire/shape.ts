/** Access to parsed JSON of unknown shape: a value of another type than expected is undefined. */

export type JsonObject = Readonly<Record<string, unknown>>;

export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

/** The fields of an object; of anything else none. */
export const fieldsOf = (value: unknown): JsonObject => asObject(value) ?? {};

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export const objectsIn = (list: unknown): JsonObject[] => asList(list).map(fieldsOf);

export function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export const stringOf = (value: unknown): string => asText(value) ?? "";

/** A non-empty text: names and ids that are empty count as missing. */
export function asName(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Any integer, however large: it is only used as a key. */
export function asIndex(value: unknown): number | undefined {
  return Number.isInteger(value) ? (value as number) : undefined;
}

export function asCount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}
