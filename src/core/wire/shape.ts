/** Access to parsed JSON of unknown shape: a value of another type than expected is undefined. */

export type JsonObject = Readonly<Record<string, unknown>>;

export const asObject = (value: unknown): JsonObject | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;

/** The fields of an object; of anything else none. */
export const fieldsOf = (value: unknown): JsonObject => asObject(value) ?? {};

export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const objectsIn = (list: unknown): JsonObject[] => asList(list).map(fieldsOf);

export const asText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

export const stringOf = (value: unknown): string => asText(value) ?? "";

/** A non-empty text: names and ids that are empty count as missing. */
export const asName = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** Any integer, however large: it is only used as a key. */
export const asIndex = (value: unknown): number | undefined =>
  Number.isInteger(value) ? (value as number) : undefined;

export const asCount = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
