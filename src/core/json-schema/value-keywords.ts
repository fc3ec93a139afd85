/** The keywords that look at one value by itself. */
import { canonicalJson } from "../json/canonical-json.ts";
import { isObject, type ValueCheck, type FoundProblem, type SchemaObject } from "./schema-run.ts";

export interface KeywordPlace {
  readonly schema: SchemaObject;
  readonly keyword: string;
  /** The keyword's value. */
  readonly wanted: unknown;
}

/** Makes the check of one keyword. The form of its value is checked before. */
export type ValueKeyword = (place: KeywordPlace) => ValueCheck;

/** A problem of this keyword. */
export function problem(place: KeywordPlace, message: string, name: string | null = null): Omit<FoundProblem, "path"> {
  const { schema, keyword, wanted } = place;
  return { keyword, message, wanted, schema, name };
}

interface Rule<Value> {
  readonly applies: (value: unknown) => value is Value;
  readonly fits: (value: Value, wanted: number) => boolean;
  readonly message: (wanted: number) => string;
}

/** A keyword with a number that says nothing about values of other types. */
const limit =
  <Value>({ applies, fits, message }: Rule<Value>): ValueKeyword =>
  (place) => {
    const wanted = place.wanted as number;
    const failure = problem(place, message(wanted));
    return (value, run) => !applies(value) || fits(value, wanted) || run.fail(failure);
  };

const isNumber = (value: unknown): value is number => typeof value === "number";
const isString = (value: unknown): value is string => typeof value === "string";
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

const bound = (fits: (value: number, wanted: number) => boolean, sign: string): ValueKeyword =>
  limit({ applies: isNumber, fits, message: (wanted) => `must be ${sign} ${wanted}` });

const typeTests: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: isString,
  number: isNumber,
  integer: Number.isInteger,
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  array: isList,
  object: isObject,
};

const type: ValueKeyword = (place) => {
  const named = typeof place.wanted === "string" ? [place.wanted] : (place.wanted as readonly string[]);
  const types = place.schema["nullable"] === true ? [...named, "null"] : named;
  const failure = problem(place, `must be ${named.join(",")}`);
  const [first = () => false, ...others] = types.map((name) => typeTests[name] ?? (() => false));
  if (others.length === 0) return (value, run) => first(value) || run.fail(failure);
  return (value, run) => first(value) || others.some((test) => test(value)) || run.fail(failure);
};

const enumeration: ValueKeyword = (place) => {
  const values = place.wanted as readonly unknown[];
  const failure = problem(place, "must be equal to one of the allowed values");
  const plain = new Set(values.filter((value) => typeof value !== "object" || value === null));
  const others = values.filter((value) => !plain.has(value));
  return (value, run) => plain.has(value) || others.some((other) => isEqual(other, value)) || run.fail(failure);
};

const constant: ValueKeyword = (place) => {
  const failure = problem(place, "must be equal to constant");
  return (value, run) => isEqual(place.wanted, value) || run.fail(failure);
};

/** In one pass: a comparison of each item with each other would be quadratic. */
const uniqueItems: ValueKeyword = (place) => {
  const failure = problem(place, "must NOT have duplicate items");
  if (place.wanted !== true) return () => true;
  return (value, run) =>
    !isList(value) || new Set(value.map((item) => canonicalJson(item))).size === value.length || run.fail(failure);
};

const required: ValueKeyword = (place) => {
  const failures = (place.wanted as readonly string[]).map(
    (name) => [name, problem(place, `must have required property '${name}'`, name)] as const,
  );
  return (value, run) => {
    if (!isObject(value)) return true;
    let valid = true;
    for (const [name, failure] of failures) {
      if (Object.hasOwn(value, name)) continue;
      valid = run.fail(failure);
      if (!run.findsAll) return false;
    }
    return valid;
  };
};

/** Names that a name demands. Schemas among them, which draft-07 allows, are not read here. */
export const dependentRequired: ValueKeyword = (place) => {
  const demands = Object.entries(place.wanted as SchemaObject).filter(
    (entry): entry is [string, readonly string[]] => isList(entry[1]) && entry[1].length > 0,
  );
  return (value, run) => {
    if (!isObject(value)) return true;
    let valid = true;
    for (const [name, wanted] of demands) {
      if (!Object.hasOwn(value, name) || wanted.every((each) => Object.hasOwn(value, each))) continue;
      const names = `${wanted.length === 1 ? "property" : "properties"} ${wanted.join(", ")}`;
      valid = run.fail(problem(place, `must have ${names} when property ${name} is present`, name));
      if (!run.findsAll) return false;
    }
    return valid;
  };
};

const more = (what: string) => (wanted: number) => `must NOT have more than ${wanted} ${what}`;
const fewer = (what: string) => (wanted: number) => `must NOT have fewer than ${wanted} ${what}`;
const nameCount = (value: SchemaObject): number => Object.keys(value).length;

/** In the order in which they are checked. */
export const valueKeywords: Readonly<Record<string, ValueKeyword>> = {
  type,
  maximum: bound((value, wanted) => value <= wanted, "<="),
  minimum: bound((value, wanted) => value >= wanted, ">="),
  exclusiveMaximum: bound((value, wanted) => value < wanted, "<"),
  exclusiveMinimum: bound((value, wanted) => value > wanted, ">"),
  multipleOf: bound((value, wanted) => Number.isInteger(value / wanted), "multiple of"),
  maxLength: limit({ applies: isString, fits: isAtMost, message: more("characters") }),
  minLength: limit({ applies: isString, fits: isAtLeast, message: fewer("characters") }),
  const: constant,
  enum: enumeration,
  maxItems: limit({ applies: isList, fits: ({ length }, wanted) => length <= wanted, message: more("items") }),
  minItems: limit({ applies: isList, fits: ({ length }, wanted) => length >= wanted, message: fewer("items") }),
  uniqueItems,
  maxProperties: limit({
    applies: isObject,
    fits: (value, wanted) => nameCount(value) <= wanted,
    message: more("properties"),
  }),
  minProperties: limit({
    applies: isObject,
    fits: (value, wanted) => nameCount(value) >= wanted,
    message: fewer("properties"),
  }),
  required,
};

/** Characters are code points. */
function isAtMost(text: string, wanted: number): boolean {
  return text.length <= wanted || (text.length <= 2 * wanted && characterCount(text) <= wanted);
}

function isAtLeast(text: string, wanted: number): boolean {
  return text.length >= 2 * wanted || (text.length >= wanted && characterCount(text) >= wanted);
}

function characterCount(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    count += 1;
    if ((text.codePointAt(index) ?? 0) > 0xffff) index += 1;
  }
  return count;
}

/** Equality of JSON values. */
function isEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (isList(left))
    return isList(right) && left.length === right.length && left.every((item, index) => isEqual(item, right[index]));
  if (!isObject(left) || !isObject(right)) return false;
  const names = Object.keys(left);
  return (
    names.length === nameCount(right) &&
    names.every((name) => Object.hasOwn(right, name) && isEqual(left[name], right[name]))
  );
}
