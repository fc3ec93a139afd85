/** Compares what a way answered with what a case expects: a subset, with a few matchers for what is not the same each time. */
import { isDeepStrictEqual } from "node:util";

/** Values of earlier answers by name. */
export type Saved = ReadonlyMap<string, unknown>;

const REFERENCE = /^\$([a-z]\w*)$/;

/** A copy of a value of a case in which `$name` is the value that was saved under this name. */
export function withSaved(value: unknown, saved: Saved): unknown {
  if (typeof value === "string") {
    const name = REFERENCE.exec(value)?.[1];
    if (name === undefined) return value;
    if (!saved.has(name)) throw new Error(`Cannot use "${value}": nothing was saved under this name before`);
    return saved.get(name);
  }
  if (Array.isArray(value)) return value.map((each) => withSaved(each, saved));
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withSaved(each, saved)]));
}

type Matcher = (actual: unknown, wanted: unknown) => boolean;

/** Each is written as a map with this one key. */
const matchers: Readonly<Record<string, Matcher>> = {
  $matches: (actual, wanted) => typeof actual === "string" && new RegExp(String(wanted), "u").test(actual),
  $contains: contains,
  $lacks: (actual, wanted) => (typeof actual === "string" || Array.isArray(actual)) && !contains(actual, wanted),
  $above: (actual, wanted) => typeof actual === "number" && actual > Number(wanted),
  $length: (actual, wanted) => Array.isArray(actual) && actual.length === wanted,
};

/** Of a text: a part of it. Of a list: an item that has what is wanted. */
function contains(actual: unknown, wanted: unknown): boolean {
  if (typeof actual === "string") return actual.includes(String(wanted));
  return Array.isArray(actual) && actual.some((item) => differences(item, wanted).length === 0);
}

/** What is not as expected, each with its path; `expected` may leave out keys of maps, and no items of lists. */
export function differences(actual: unknown, expected: unknown, path = "answer"): string[] {
  const matcher = matcherOf(expected);
  if (matcher !== undefined) {
    const [name, wanted] = matcher;
    return matchers[name]?.(actual, wanted) === true ? [] : [difference(path, actual, expected)];
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return [difference(path, actual, expected)];
    return expected.flatMap((each, index) => differences(actual[index], each, `${path}.${index}`));
  }
  if (isFields(expected)) {
    if (!isFields(actual)) return [difference(path, actual, expected)];
    return Object.entries(expected).flatMap(([key, each]) => differences(actual[key], each, `${path}.${key}`));
  }
  return isDeepStrictEqual(actual, expected) ? [] : [difference(path, actual, expected)];
}

function matcherOf(expected: unknown): readonly [name: string, wanted: unknown] | undefined {
  if (!isFields(expected)) return undefined;
  const [first, ...more] = Object.entries(expected);
  return first !== undefined && more.length === 0 && Object.hasOwn(matchers, first[0]) ? first : undefined;
}

const SHOWN_CHARS_MAX = 2000;

const shown = (value: unknown): string => (JSON.stringify(value) ?? "nothing").slice(0, SHOWN_CHARS_MAX);

const difference = (path: string, actual: unknown, expected: unknown): string =>
  `${path} is ${shown(actual)}, wanted ${shown(expected)}`;

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value at a path such as `approvals.0.id`; undefined if there is none. */
export const valueAt = (value: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>((inner, key) => (inner as Readonly<Record<string, unknown>> | undefined | null)?.[key], value);
