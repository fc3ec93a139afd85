/** Whether a schema has the form that its dialect demands, as the meta-schemas of JSON Schema say it. */
import { canonicalJson } from "../json/canonical-json.ts";
import { isObject, type SchemaObject } from "./schema-run.ts";

export type SchemaDialect = "2020-12" | "draft-07";

/** What is wrong with a keyword's value; undefined if nothing is. */
type Form = (value: unknown, place: Place) => string | undefined;

interface Place {
  readonly path: string;
  readonly dialect: SchemaDialect;
  /** Schemas that were looked at. */
  readonly seen: Set<object>;
}

const types = ["array", "boolean", "integer", "null", "number", "object", "string"];
const isType = (value: unknown): boolean => typeof value === "string" && types.includes(value);
const isCount = (value: unknown): boolean => typeof value === "number" && Number.isInteger(value) && value >= 0;
const areUnique = (items: readonly unknown[]): boolean =>
  new Set(items.map((item) => canonicalJson(item))).size === items.length;
const isWords = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === "string") && areUnique(value);

const must =
  (test: (value: unknown) => boolean, wanted: string): Form =>
  (value, { path }) =>
    test(value) ? undefined : `schema is invalid: "${path}" must be ${wanted}`;

const isText = must((value) => typeof value === "string", "string");
const isFlag = must((value) => typeof value === "boolean", "boolean");
const isNumber = must((value) => typeof value === "number", "number");
const isCountForm = must(isCount, "a whole number from 0");
const isWordsForm = must(isWords, "an array of different strings");
const isArray = must(Array.isArray, "array");
const isAnchor = must(
  (value) => typeof value === "string" && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value),
  "a name of letters",
);

const schema: Form = (value, place) => {
  if (typeof value === "boolean") return undefined;
  if (!isObject(value)) return `schema is invalid: "${place.path}" must be object or boolean`;
  return formProblem(value, place);
};

const eachOf = (
  values: readonly (readonly [string | number, unknown])[],
  form: Form,
  place: Place,
): string | undefined => {
  for (const [key, value] of values) {
    const problem = form(value, { ...place, path: `${place.path}/${key}` });
    if (problem !== undefined) return problem;
  }
  return undefined;
};

const schemas: Form = (value, place) =>
  Array.isArray(value) && value.length > 0
    ? eachOf([...value.entries()], schema, place)
    : `schema is invalid: "${place.path}" must be an array with at least 1 item`;

const mapOf =
  (form: Form): Form =>
  (value, place) =>
    isObject(value) ? eachOf(Object.entries(value), form, place) : `schema is invalid: "${place.path}" must be object`;

const dependency: Form = (value, place) => (Array.isArray(value) ? isWordsForm(value, place) : schema(value, place));

const common: Readonly<Record<string, Form>> = {
  $ref: isText,
  $comment: isText,
  title: isText,
  description: isText,
  pattern: isText,
  format: isText,
  contentMediaType: isText,
  contentEncoding: isText,
  type: must(
    (value) => isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType) && areUnique(value)),
    `one of ${types.join(", ")}, or a list of them`,
  ),
  enum: must((value) => Array.isArray(value) && value.length > 0, "a non-empty array"),
  examples: isArray,
  readOnly: isFlag,
  writeOnly: isFlag,
  uniqueItems: isFlag,
  maximum: isNumber,
  minimum: isNumber,
  exclusiveMaximum: isNumber,
  exclusiveMinimum: isNumber,
  multipleOf: must((value) => typeof value === "number" && value > 0, "a number over 0"),
  maxLength: isCountForm,
  minLength: isCountForm,
  maxItems: isCountForm,
  minItems: isCountForm,
  maxProperties: isCountForm,
  minProperties: isCountForm,
  required: isWordsForm,
  allOf: schemas,
  anyOf: schemas,
  oneOf: schemas,
  not: schema,
  contains: schema,
  propertyNames: schema,
  additionalProperties: schema,
  properties: mapOf(schema),
  patternProperties: mapOf(schema),
  definitions: mapOf(schema),
  dependencies: mapOf(dependency),
};

/** Apart, because an object with a `then` passes for a promise. */
const clauses: readonly (readonly [string, Form])[] = ["if", "then", "else"].map((name) => [name, schema]);

const forms: Readonly<Record<SchemaDialect, ReadonlyMap<string, Form>>> = {
  "draft-07": new Map([
    ...clauses,
    ...Object.entries({
      ...common,
      $id: isText,
      items: (value, place) => (Array.isArray(value) ? schemas(value, place) : schema(value, place)),
      additionalItems: schema,
    } satisfies Record<string, Form>),
  ]),
  "2020-12": new Map([
    ...clauses,
    ...Object.entries({
      ...common,
      $id: must((value) => typeof value === "string" && /^[^#]*#?$/.test(value), "a URI without a fragment"),
      $anchor: isAnchor,
      $dynamicAnchor: isAnchor,
      $dynamicRef: isText,
      $defs: mapOf(schema),
      $vocabulary: mapOf(isFlag),
      deprecated: isFlag,
      items: schema,
      prefixItems: schemas,
      unevaluatedItems: schema,
      unevaluatedProperties: schema,
      contentSchema: schema,
      minContains: isCountForm,
      maxContains: isCountForm,
      dependentRequired: mapOf(isWordsForm),
      dependentSchemas: mapOf(schema),
    } satisfies Record<string, Form>),
  ]),
};

/** What is wrong with a schema and those in it; undefined if nothing is. */
export function formProblem(node: SchemaObject, place: Place): string | undefined {
  if (place.seen.has(node)) return undefined;
  place.seen.add(node);
  for (const [keyword, value] of Object.entries(node)) {
    const form = forms[place.dialect].get(keyword);
    const problem = form?.(value, { ...place, path: `${place.path}/${keyword}` });
    if (problem !== undefined) return problem;
  }
  if (node["$async"] === true) return 'it is "$async"';
  if (node["nullable"] !== undefined && node["type"] === undefined) return '"nullable" cannot be used without "type"';
  return undefined;
}
