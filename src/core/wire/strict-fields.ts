/** Finds fields of a model's answer that could carry a tool call and are not known, or are of another type than clients take them for. */
import { asObject, type JsonObject } from "./shape.ts";

/** Names by which clients find calls. */
const callWords = /call|tool|function|exec|command|shell|(?:^|_)actions?$|argument|apply_?patch|invoke|__proto__/i;

/** The type of a known field; null and a missing field are of each type. `any` is checked elsewhere, or needs no check. */
type FieldType = "any" | "text" | "number" | "index" | "flag" | "object" | "list";

/** Clients make lists with so many places. */
const INDEX_MAX = 10_000;

/** The known fields of one kind of object. */
export class KnownFields {
  readonly #types: ReadonlyMap<string, FieldType>;
  readonly #folded: ReadonlySet<string>;

  /** `fields`: names with a space between them, each with its type behind a colon, or without one for `any`. */
  constructor(fields: string) {
    const pairs = fields.split(" ").map((field) => field.split(":"));
    this.#types = new Map(pairs.map(([name = "", type = "any"]) => [name, type as FieldType]));
    this.#folded = new Set([...this.#types.keys()].map(folded));
  }

  /**
   * A known field of another type, or an unknown one that could carry a call; undefined if there is none. A name that differs from a
   * known one only in case or underscores counts, because some libraries read it as that one.
   */
  foreignIn(object: JsonObject): string | undefined {
    for (const name of Object.keys(object)) {
      const type = this.#types.get(name);
      const value = object[name];
      if (type === undefined) {
        if (this.#folded.has(folded(name)) || couldCarryCall(name, value)) return name;
      } else if (!isOfType(type, value)) return name;
    }
    return undefined;
  }
}

function isOfType(type: FieldType, value: unknown): boolean {
  if (value === null || value === undefined) return true;
  switch (type) {
    case "text":
      return typeof value === "string";
    case "number":
      return typeof value === "number";
    case "index":
      return Number.isInteger(value) && (value as number) >= 0 && (value as number) < INDEX_MAX;
    case "flag":
      return typeof value === "boolean";
    case "object":
      return typeof value === "object" && !Array.isArray(value);
    case "list":
      return Array.isArray(value);
    case "any":
      return true;
  }
}

export const isCallWord = (word: string): boolean => callWords.test(word);

/** True for an object or a list that is not empty, if its name or a name in it is a call word. */
function couldCarryCall(name: string, value: unknown): boolean {
  if (name === "__proto__") return true;
  if (typeof value !== "object" || value === null) return false;
  const isEmpty = Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
  return !isEmpty && (isCallWord(name) || speaksOfCall(value));
}

/** True if a name or a type in the value is a call word. Not recursive, because input of servers may be deep. */
export function speaksOfCall(root: unknown): boolean {
  const left: unknown[] = [root];
  while (left.length > 0) {
    const value = left.pop();
    if (Array.isArray(value)) {
      for (const item of value) left.push(item);
      continue;
    }
    const object = asObject(value);
    if (object === undefined) continue;
    for (const [name, inner] of Object.entries(object)) {
      const word = name === "type" && typeof inner === "string" ? inner : name;
      if (isCallWord(word)) return true;
      left.push(inner);
    }
  }
  return false;
}

/** The first of these fields that an object has and must not have. */
export const misplaced = (object: JsonObject, names: readonly string[]): string | undefined =>
  names.find((name) => isSomething(object[name]));

export const quoted = (name: string | undefined): string | undefined =>
  name === undefined ? undefined : `the field "${name}"`;

export const isSomething = (value: unknown): boolean => value !== undefined && value !== null;

const folded = (name: string): string => name.replaceAll("_", "").toLowerCase();
