/** JSON Schema as types of Python: a `TypedDict` for each kind of object, written once however often it appears. */
import type { JsonSchema } from "../src/server/schema-examples.ts";

/** What Python would read as something else, as the name of a field of a class. */
const KEYWORDS: ReadonlySet<string> = new Set(["from", "for", "import", "in", "is", "class", "global", "with", "as"]);

export const isKeyword = (name: string): boolean => KEYWORDS.has(name);

/** `sessions.exec` and `exit-code` as `SessionsExec` and `ExitCode`. */
export const pascalCase = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");

/** The same text for schemas that mean the same. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

export class PythonTypes {
  /** Definitions in the order in which they may refer to each other. */
  readonly definitions: string[] = [];
  readonly #names = new Map<string, string>();
  readonly #taken = new Set<string>();
  readonly #known = new Map<string, string>();

  /** `known`: names of schemas, instead of those of the place where they first appear. */
  constructor(known: Readonly<Record<string, JsonSchema>>) {
    for (const [name, schema] of Object.entries(known)) this.#known.set(canonical(schema), name);
  }

  /** The type of a value; `path` names what is defined for it, unless its schema is known by a name. */
  of(schema: JsonSchema, path: string): string {
    const name = this.#known.get(canonical(schema));
    if (name !== undefined) return this.#named(name, schema);
    return this.#inline(schema, path);
  }

  #named(name: string, schema: JsonSchema): string {
    if (this.#taken.has(name)) return name;
    const type = this.#inline(schema, name);
    if (type !== name) this.#define(name, `${name} = ${type}`);
    return name;
  }

  #inline(schema: JsonSchema, path: string): string {
    if ("const" in schema) return `Literal[${literal(schema["const"])}]`;
    if (Array.isArray(schema["enum"])) return `Literal[${schema["enum"].map(literal).join(", ")}]`;
    const choices = (schema["anyOf"] ?? schema["oneOf"]) as readonly JsonSchema[] | undefined;
    if (choices !== undefined) return this.#union(choices, path);
    if (Array.isArray(schema["type"]))
      return this.#union(
        schema["type"].map((type) => ({ ...schema, type })),
        path,
      );
    switch (schema["type"]) {
      case "string":
        return "str";
      case "integer":
        return "int";
      case "number":
        return "float";
      case "boolean":
        return "bool";
      case "null":
        return "None";
      case "array":
        return this.#list(schema, path);
      case "object":
        return this.#object(schema, path);
      default:
        return "Any";
    }
  }

  #list(schema: JsonSchema, path: string): string {
    const first = (schema["prefixItems"] as readonly JsonSchema[] | undefined)?.[0];
    const items = (schema["items"] ?? first ?? {}) as JsonSchema;
    return `List[${this.of(items, `${path}Item`)}]`;
  }

  #union(choices: readonly JsonSchema[], path: string): string {
    const values = choices.filter(({ type }) => type !== "null");
    const isNullable = values.length < choices.length;
    const kinds = values.length === 1 ? [""] : kindsOf(values);
    const types = values.map((choice, index) => this.of(choice, path + (kinds[index] ?? "")));
    const [only = "Any"] = types;
    const type = types.length === 1 ? only : `Union[${[...new Set(types)].join(", ")}]`;
    return isNullable ? `Optional[${type}]` : type;
  }

  #object(schema: JsonSchema, path: string): string {
    const properties = Object.entries((schema["properties"] ?? {}) as Readonly<Record<string, JsonSchema>>);
    if (properties.length === 0) {
      const values = schema["additionalProperties"];
      if (typeof values !== "object" || values === null) return "Dict[str, Any]";
      return `Dict[str, ${this.of(values as JsonSchema, `${path}Value`)}]`;
    }
    const shape = canonical(schema);
    const before = this.#names.get(shape);
    if (before !== undefined) return before;
    this.#names.set(shape, path);
    const required = new Set((schema["required"] ?? []) as readonly string[]);
    const fields = properties.map(([name, property]) => {
      const type = this.of(property, path + pascalCase(name));
      return [name, required.has(name) ? type : `NotRequired[${type}]`] as const;
    });
    this.#define(path, typedDict(path, fields));
    return path;
  }

  #define(name: string, text: string): void {
    if (this.#taken.has(name))
      throw new Error(`Two types of Python are named ${name}: name one in scripts/write-python.ts`);
    this.#taken.add(name);
    this.definitions.push(text);
  }
}

type Properties = Readonly<Record<string, JsonSchema>>;

/** What each alternative of a union is called: by the value of the field that tells them apart. */
function kindsOf(choices: readonly JsonSchema[]): readonly string[] {
  const properties = choices.map((choice) => (choice["properties"] ?? {}) as Properties);
  for (const field of Object.keys(properties[0] ?? {})) {
    const values = new Set(properties.map((each) => each[field]?.["const"]));
    if (values.has(undefined) || values.size < choices.length) continue;
    return properties.map((each) => kindOf(field, each[field]?.["const"]));
  }
  return choices.map((_, index) => String(index + 1));
}

const kindOf = (field: string, value: unknown): string =>
  typeof value === "boolean" ? (value ? "" : "Not") + pascalCase(field) : pascalCase(String(value));

/** As a class, or as a call where a name is none of Python's. */
function typedDict(name: string, fields: readonly (readonly [string, string])[]): string {
  const isPlain = fields.every(([field]) => /^[A-Za-z_]\w*$/.test(field) && !isKeyword(field));
  if (isPlain)
    return [`class ${name}(TypedDict):`, ...fields.map(([field, type]) => `    ${field}: ${type}`)].join("\n");
  const entries = fields.map(([field, type]) => `    ${JSON.stringify(field)}: ${JSON.stringify(type)},`);
  return [`${name} = TypedDict(${JSON.stringify(name)}, {`, ...entries, "})"].join("\n");
}

/** A value of JSON in Python. */
export function literal(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return JSON.stringify(value);
}
