/** An example for a JSON Schema of an answer: what its fields are called decides about texts and numbers, the schema about everything else. */

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Values for fields of these names, in whatever type they occur. */
const fields: Readonly<Record<string, unknown>> = {
  agent: "claude",
  branch: "lectern/fix-login",
  code: 0,
  columns: 120,
  command: "npm test",
  details: "npm test",
  end: 4096,
  id: "4kq7x2m9pd",
  label: "Yes",
  name: "fix-login",
  next: 4096,
  offset: 2048,
  output: "1 passed\n",
  pid: 4711,
  question: "Do you want to run this command?",
  rows: 40,
  session: "4kq7x2m9pd",
  summary: "asks: Do you want to run this command?",
  text: "The test passes again.",
  workingDirectory: "/srv/app",
};
const EXAMPLE_TIME = "2026-11-29T12:00:00.000Z";
const EXAMPLE_TIME_US = Date.parse(EXAMPLE_TIME) * 1000;
const HASH = "0".repeat(64);
/** Texts for patterns: the first that matches. */
const texts = ["text", "4kq7x2m9pd", HASH, HASH.slice(0, 32), HASH.slice(0, 16)];

/** `named`: the schemas that references lead to. Optional fields are left out; the first form of several is shown. */
export function exampleOf(schema: JsonSchema, named: Readonly<Record<string, JsonSchema>>, field = ""): unknown {
  const reference = schema["$ref"];
  if (typeof reference === "string") return exampleOf(named[reference.split("/").at(-1) ?? ""] ?? {}, named, field);
  if ("const" in schema) return schema["const"];
  if (Array.isArray(schema["enum"])) return schema["enum"][0];
  const [form] = (schema["anyOf"] ?? schema["oneOf"] ?? []) as readonly JsonSchema[];
  if (form !== undefined) return exampleOf(form, named, field);
  const type = schema["type"];
  // What may be null is, unless its name says what it can be.
  if (Array.isArray(type)) return field in fields ? exampleOf({ ...schema, type: type[0] }, named, field) : null;
  switch (type) {
    case "object":
      return objectExample(schema, named);
    case "array":
      return [exampleOf((schema["items"] ?? {}) as JsonSchema, named, field)];
    case "boolean":
      return false;
    case "null":
      return null;
    case "integer":
    case "number":
      return numberExample(schema, field);
    case "string":
      return textExample(schema, field);
    default:
      return {};
  }
}

function objectExample(schema: JsonSchema, named: Readonly<Record<string, JsonSchema>>): object {
  const required = (schema["required"] ?? []) as readonly string[];
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, JsonSchema>>;
  return Object.fromEntries(required.map((name) => [name, exampleOf(properties[name] ?? {}, named, name)]));
}

function numberExample(schema: JsonSchema, field: string): number {
  const known = fields[field];
  if (typeof known === "number") return known;
  if (field.endsWith("Us")) return EXAMPLE_TIME_US;
  const { minimum } = schema;
  return typeof minimum === "number" && minimum > 0 ? minimum : 0;
}

function textExample(schema: JsonSchema, field: string): string {
  if (schema["format"] === "date-time") return EXAMPLE_TIME;
  const pattern = new RegExp(typeof schema["pattern"] === "string" ? schema["pattern"] : "", "u");
  return [fields[field], ...texts].find((text): text is string => typeof text === "string" && pattern.test(text)) ?? "";
}
