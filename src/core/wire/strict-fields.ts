/** Finds unknown fields of a model's answer that could carry a tool call. */
import { asObject, type JsonObject } from "./shape.ts";

/** Names by which clients find calls. */
const callWords = /call|tool|function|exec|command|shell|(?:^|_)actions?$|argument|apply_?patch|invoke|__proto__/i;

/** The known fields of one kind of object. */
export class KnownFields {
  readonly #names: ReadonlySet<string>;
  readonly #folded: ReadonlySet<string>;

  constructor(names: string) {
    const list = names.split(" ");
    this.#names = new Set(list);
    this.#folded = new Set(list.map(folded));
  }

  /**
   * An unknown field that could carry a call; undefined if there is none. A name that differs from a known one only in case or
   * underscores counts, because some libraries read it as that one.
   */
  foreignIn(object: JsonObject): string | undefined {
    for (const name of Object.keys(object)) {
      if (this.#names.has(name)) continue;
      if (this.#folded.has(folded(name)) || couldCarryCall(name, object[name])) return name;
    }
    return undefined;
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

const folded = (name: string): string => name.replaceAll("_", "").toLowerCase();
