/**
 * Gemini's streamed arguments: each part has a JSONPath and a value, and a string may come in several parts.
 *
 * They are converted to JSON text in order of arrival, so that these calls stream and heal like all others. If a part returns to a
 * container that is closed in the text, the text stops there, and `end` returns the whole arguments.
 *
 * @see https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling
 */
import { asIndex, objectsIn, stringOf, type JsonObject } from "./shape.ts";

type Segment = string | number;
type Container = unknown[] | Record<string, unknown>;

const depthMax = 512;
const segmentPattern = /\.([^.[\]]+)|\[([0-9]+)\]|\['([^']*)'\]|\["([^"]*)"\]/y;

/** Parts in, text out. */
export class PartialArguments {
  readonly #root: Container = {};
  /** Open containers: path as JSON, closing bracket, and number of members. */
  readonly #open: { key: string; closer: string; size: number }[] = [{ key: "[]", closer: "}", size: 0 }];
  /** Paths of closed containers. */
  readonly #closed = new Set<string>();
  /** Path of the open string. */
  #openString: string | undefined;
  #text = "";
  #inOrder = true;

  /** The text that follows what earlier calls returned; undefined if a part's path is invalid. */
  feed(parts: unknown): string | undefined {
    const before = this.#text.length;
    if (before === 0) this.#text = "{";
    for (const part of objectsIn(parts)) if (!this.#add(part)) return undefined;
    return this.#text.slice(before);
  }

  /** The whole arguments after the last part: the closed text, or all values anew if parts came out of order. */
  end(): string {
    if (!this.#inOrder) return JSON.stringify(this.#root);
    const closers = this.#open.map((container) => container.closer).toReversed();
    return (this.#text || "{") + (this.#openString === undefined ? "" : '"') + closers.join("");
  }

  #add(part: JsonObject): boolean {
    const path = segmentsOf(stringOf(part["jsonPath"]));
    const last = path?.at(-1);
    if (path === undefined || last === undefined || path.length > depthMax) return false;
    const value = valueOf(part);
    if (value === undefined) return true;
    const parent = containerOf(this.#root, path);
    if (parent === undefined) return false;
    const known = own(parent, last);
    const continues = typeof known === "string" && typeof value === "string";
    if (known !== undefined && !continues) return false;
    if (!setOwn(parent, last, continues ? known + value : value)) return false;
    if (this.#inOrder) this.#write(path, value, { continues, isOpen: part["willContinue"] === true });
    return true;
  }

  #write(path: readonly Segment[], value: unknown, string: { continues: boolean; isOpen: boolean }): void {
    const key = JSON.stringify(path);
    if (string.continues) {
      if (this.#openString !== key) this.#inOrder = false;
    } else this.#begin(path);
    if (!this.#inOrder) return;
    const text = JSON.stringify(value);
    if (typeof value !== "string") this.#text += text;
    else {
      this.#text += text.slice(string.continues ? 1 : 0, -1);
      this.#openString = string.isOpen ? key : undefined;
      if (!string.isOpen) this.#text += '"';
    }
  }

  /** Closes and opens containers up to the parent of this path, and writes the key. */
  #begin(path: readonly Segment[]): void {
    if (this.#openString !== undefined) this.#text += '"';
    this.#openString = undefined;
    while (!this.#isWithin(path)) {
      const left = this.#open.pop();
      this.#text += left?.closer ?? "";
      this.#closed.add(left?.key ?? "");
    }
    for (let depth = this.#open.length; depth < path.length; depth += 1) {
      const key = JSON.stringify(path.slice(0, depth));
      if (this.#closed.has(key)) {
        this.#inOrder = false;
        return;
      }
      const isArray = typeof path[depth] === "number";
      this.#member(path[depth - 1] ?? "");
      this.#text += isArray ? "[" : "{";
      this.#open.push({ key, closer: isArray ? "]" : "}", size: 0 });
    }
    this.#member(path.at(-1) ?? "");
  }

  #isWithin(path: readonly Segment[]): boolean {
    const depth = this.#open.length - 1;
    return depth < path.length && this.#open[depth]?.key === JSON.stringify(path.slice(0, depth));
  }

  #member(segment: Segment): void {
    const container = this.#open.at(-1);
    if (container === undefined) return;
    if (container.size > 0) this.#text += ",";
    container.size += 1;
    if (typeof segment === "string") this.#text += `${JSON.stringify(segment)}:`;
  }
}

function segmentsOf(path: string): Segment[] | undefined {
  if (!path.startsWith("$")) return undefined;
  const segments: Segment[] = [];
  segmentPattern.lastIndex = 1;
  while (segmentPattern.lastIndex < path.length) {
    const match = segmentPattern.exec(path);
    if (match === null) return undefined;
    const [, plain, index, single, double] = match;
    segments.push(index === undefined ? (plain ?? single ?? double ?? "") : Number(index));
  }
  return segments;
}

function valueOf(part: JsonObject): unknown {
  for (const field of ["stringValue", "numberValue", "boolValue"]) if (part[field] !== undefined) return part[field];
  return "nullValue" in part ? null : undefined;
}

/** The container of the last segment; creates missing ones. Undefined if a value on the path is not a container. */
function containerOf(root: Container, path: readonly Segment[]): Container | undefined {
  let container = root;
  for (let depth = 0; depth < path.length - 1; depth += 1) {
    const segment = path[depth] ?? "";
    let next = own(container, segment);
    if (next === undefined) {
      next = typeof path[depth + 1] === "number" ? [] : {};
      if (!setOwn(container, segment, next)) return undefined;
    }
    if (typeof next !== "object" || next === null) return undefined;
    container = next as Container;
  }
  return container;
}

const own = (container: Container, segment: Segment): unknown =>
  Object.hasOwn(container, segment) ? (container as Record<Segment, unknown>)[segment] : undefined;

/** False if the segment does not fit: a name in an array, an index beyond its end, an index in an object. */
function setOwn(container: Container, segment: Segment, value: unknown): boolean {
  const fits = Array.isArray(container)
    ? (asIndex(segment) ?? Infinity) <= container.length
    : typeof segment === "string";
  if (!fits) return false;
  // An assignment to `__proto__` would set the prototype.
  Object.defineProperty(container, segment, { value, writable: true, enumerable: true, configurable: true });
  return true;
}
