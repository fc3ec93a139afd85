/** Fields of a model's answer that are not known, and whether one of them could carry a tool call. */
import { asObject, type JsonObject } from "./shape.ts";

/** Names under which clients look for calls. */
const callWords = /call|tool|function|exec|command|shell|(?:^|_)actions?$|argument|apply_?patch|invoke|__proto__/i;

/** The fields that one kind of object is known to have. */
export class KnownFields {
  readonly #names: ReadonlySet<string>;
  readonly #folded: ReadonlySet<string>;

  constructor(names: string) {
    const list = names.split(" ");
    this.#names = new Set(list);
    this.#folded = new Set(list.map(folded));
  }

  /**
   * The name of a field that is not known and could carry a call; undefined where there is none. A name that differs in case or
   * underscores from a known one is read as that one by some libraries.
   */
  foreignIn(object: JsonObject): string | undefined {
    for (const name of Object.keys(object)) {
      if (this.#names.has(name)) continue;
      if (this.#folded.has(folded(name)) || couldCarryCall(name, object[name])) return name;
    }
    return undefined;
  }
}

/** True for a word that speaks of a call. */
export const isCallWord = (word: string): boolean => callWords.test(word);

/** True where a value has parts, and its name or one of the names in it speaks of a call. */
function couldCarryCall(name: string, value: unknown): boolean {
  if (name === "__proto__") return true;
  if (typeof value !== "object" || value === null) return false;
  const isEmpty = Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
  return !isEmpty && (isCallWord(name) || speaksOfCall(value));
}

/** Not recursive: what servers send may be deep. */
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
