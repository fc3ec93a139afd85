/** The problems of an input as messages: the field, its value, what it may be. The messages of the schemas name types and patterns instead. */
import * as z from "zod";
import { meantName } from "../core/option-names.ts";

/** `path` is dotted and empty for the input as a whole; `message` follows the name of the field: "must be at least 1, not 0". */
export interface InputIssue {
  readonly path: string;
  readonly message: string;
}

type Issue = z.core.$ZodIssue;

const VALUE_CHARS_MAX = 60;
const KEYS_MAX = 40;

/**
 * @example
 * ```ts
 * const schema = operations["sessions.resize"].input;
 * const result = schema.safeParse(input);
 * if (!result.success) describeIssues(result.error, input, schema); // [{ path: "columns", message: "must be at least 1, not 0" }]
 * ```
 */
export function describeIssues({ issues }: z.ZodError, input: unknown, schema: z.ZodType): InputIssue[] {
  return issues.map((issue) => {
    const { path, message } = describe(issue, valueAt(input, issue.path));
    const [wrong] = issue.code === "unrecognized_keys" ? issue.keys : [];
    const isField = wrong !== undefined && issue.path.length === 0 && schema instanceof z.ZodObject;
    return { path, message: isField ? `${message}: ${meantName(wrong, Object.keys(schema.shape))}` : message };
  });
}

/** The first problem as a sentence. */
export function sentenceOf(issues: readonly InputIssue[]): string {
  const [first = { path: "", message: "is not valid" }] = issues;
  return `Cannot take the input: ${first.path === "" ? "it" : `"${first.path}"`} ${first.message}`;
}

function describe(issue: Issue, value: unknown): InputIssue {
  if (issue.code === "invalid_union" && issue.errors.length > 0) return describeUnion(issue, value);
  return { path: pathOf(issue.path), message: messageOf(issue, value) };
}

/** The closest of the forms that a field may have: the one of the same type. */
function describeUnion(issue: Issue & { readonly code: "invalid_union" }, value: unknown): InputIssue {
  const nearest = issue.errors.find(([first]) => first?.code !== "invalid_type") ?? issue.errors.at(-1) ?? [];
  const [first] = nearest;
  if (first === undefined) return { path: pathOf(issue.path), message: "is not valid" };
  // A list may be one text with commas, see `queryList`.
  const whole = typeof value === "string" && first.path.length > 0 ? value.split(",") : value;
  const { path, message } = describe(first, valueAt(whole, first.path));
  return { path: [pathOf(issue.path), path].filter(Boolean).join("."), message };
}

function messageOf(issue: Issue, value: unknown): string {
  switch (issue.code) {
    case "invalid_type":
      return value === undefined ? "is missing" : `must be ${nounOf(issue.expected)}, not ${kindOf(value)}`;
    case "too_small":
      if (issue.minimum === 1 && hasLength(value)) return "must not be empty";
      return `must ${boundOf(issue.origin, `at least ${issue.minimum}`)}, not ${sizeOf(value)}`;
    case "too_big":
      return `must ${boundOf(issue.origin, `at most ${issue.maximum}`)}, not ${sizeOf(value)}`;
    case "invalid_value":
      return choiceMessage(issue.values, value);
    case "invalid_union": {
      const { options } = issue as { readonly options?: readonly unknown[] };
      return options === undefined ? "is not valid" : choiceMessage(options, value);
    }
    case "invalid_format":
      return formatMessage(issue, value);
    case "unrecognized_keys":
      return `has no field ${issue.keys.slice(0, KEYS_MAX).map(shown).join(", ")}`;
    case "invalid_key": {
      const [first] = issue.issues;
      const name = issue.path.at(-1);
      return first === undefined ? "has a key that is not valid" : `is a key that ${messageOf(first, String(name))}`;
    }
    case "invalid_element":
    case "not_multiple_of":
      return "is not valid";
    case "custom":
      // Written in the schemas, as what it must have: "at most 32 labels".
      return `must have ${issue.message}`;
  }
}

const choiceMessage = (choices: readonly unknown[], value: unknown): string =>
  `must be one of ${choices.map(String).join(", ")}, not ${shown(value)}`;

/** Our schemas have messages; the value of a format without one may be anything, also a secret. */
function formatMessage(issue: Issue & { readonly code: "invalid_format" }, value: unknown): string {
  if (issue.format === "base64") return "must be base64";
  if (issue.message.startsWith("Invalid")) return `must be of the form "${issue.format}"`;
  return `must be ${issue.message}, not ${shown(value)}`;
}

const boundOf = (origin: string, bound: string): string => {
  if (origin === "string") return `have ${bound} characters`;
  return origin === "number" || origin === "int" ? `be ${bound}` : `have ${bound} entries`;
};

const hasLength = (value: unknown): value is string | readonly unknown[] =>
  typeof value === "string" || Array.isArray(value);

const sizeOf = (value: unknown): string => (hasLength(value) ? String(value.length) : shown(value));

const nouns: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

const nounOf = (expected: string): string => nouns[expected] ?? expected;

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return nounOf(Array.isArray(value) ? "array" : typeof value);
}

function shown(value: unknown): string {
  if (typeof value !== "string") return kindOf(value);
  return JSON.stringify(value.length > VALUE_CHARS_MAX ? `${value.slice(0, VALUE_CHARS_MAX)}…` : value);
}

const pathOf = (path: readonly PropertyKey[]): string => path.map(String).join(".");

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}
