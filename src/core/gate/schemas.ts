/**
 * Compiles the JSON Schemas of tools and checks arguments against them.
 *
 * Schemas come from requests and from MCP servers, arguments from a model: neither is trusted. So: no remote `$ref`, no
 * `$async`, patterns in a linear engine, `uniqueItems` without its quadratic comparison, a budget of reference
 * visits per check, formats as annotations (as 2020-12 has them), and caps on size and number. Nothing is coerced or
 * filled in: what was checked is what is executed.
 */
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { canonicalJson } from "./canonical-json.ts";
import { compilePattern } from "./patterns.ts";

export type SchemaDialect = "2020-12" | "draft-07";

/** One place where arguments do not fit. Never holds the value itself: it may be a secret. */
export interface SchemaProblem {
  /** JSON Pointer into the arguments. */
  readonly path: string;
  readonly keyword: string;
  readonly message: string;
}

/** Whether a value fits; `too-complex` where that could not be found out within the limits, which is as good as no. */
export type SchemaCheck =
  | { readonly valid: true }
  | { readonly valid: false; readonly reason: "mismatch" | "too-complex"; readonly problems: readonly SchemaProblem[] };

/** A schema that values can be checked by, or why it cannot be one. */
export type CompiledSchema =
  | { readonly usable: true; readonly dialect: SchemaDialect; readonly check: (value: unknown) => SchemaCheck }
  | { readonly usable: false; readonly message: string };

export interface SchemaStoreOptions {
  /** Compiled schemas that are kept; the one unused for longest goes first. Default 256. */
  readonly schemasMax?: number;
  /** Characters of a schema as JSON; a longer one is unusable. Default 262,144. */
  readonly schemaCharsMax?: number;
  /** `$ref` visits in one check; more is `too-complex`. Default 100,000. */
  readonly referenceVisitsMax?: number;
}

const dialects: ReadonlyMap<string, SchemaDialect> = new Map([
  ["https://json-schema.org/draft/2020-12/schema", "2020-12"],
  ["http://json-schema.org/draft-07/schema", "draft-07"],
  ["https://json-schema.org/draft-07/schema", "draft-07"],
]);

const problemsMax = 10;
const schemaDepthMax = 100;
const budgetKeyword = "lecternReferenceBudget";

class BudgetSpent extends Error {}

/**
 * Schemas compiled once and kept under a limit.
 *
 * @example
 * ```ts
 * const schemas = new SchemaStore();
 * const compiled = schemas.compile({ type: "object", required: ["path"] });
 * if (compiled.usable) compiled.check({}); // { valid: false, reason: "mismatch", problems: [...] }
 * ```
 */
export class SchemaStore {
  readonly #options: Required<SchemaStoreOptions>;
  /** By text, oldest use first: the same tool comes with every request as a new object. */
  readonly #kept = new Map<string, CompiledSchema>();
  readonly #engines = new Map<SchemaDialect, Ajv | Ajv2020>();
  /** Counts down in one check; without it a schema of 40 lines can ask for 2^40 visits. */
  readonly #budget = { left: 0 };

  constructor(options: SchemaStoreOptions = {}) {
    this.#options = { schemasMax: 256, schemaCharsMax: 262_144, referenceVisitsMax: 100_000, ...options };
  }

  /** Schemas kept now. */
  get size(): number {
    return this.#kept.size;
  }

  compile(schema: unknown): CompiledSchema {
    const text = textOf(schema);
    if (text === undefined) return unusable("it is not JSON");
    if (text.length > this.#options.schemaCharsMax) {
      return unusable(`it has ${text.length} characters, the limit is ${this.#options.schemaCharsMax}`);
    }
    const known = this.#kept.get(text);
    const compiled = known ?? this.#compile(schema);
    this.#kept.delete(text);
    this.#kept.set(text, compiled);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#options.schemasMax) break;
      this.#kept.delete(oldest);
    }
    return compiled;
  }

  #compile(schema: unknown): CompiledSchema {
    if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return unusable("it is not an object");
    const named = (schema as { readonly $schema?: unknown }).$schema;
    if (named === undefined) return this.#compileUnnamed(schema);
    const dialect = typeof named === "string" ? dialects.get(named.replace(/#$/, "")) : undefined;
    if (dialect === undefined) return unusable(`its "$schema" is neither 2020-12 nor draft-07`);
    return this.#compileAs(schema, dialect);
  }

  /** Without `$schema` it is 2020-12; many tools still write draft-07 (`items` as a list), which is tried then. */
  #compileUnnamed(schema: object): CompiledSchema {
    const first = this.#compileAs(schema, "2020-12");
    if (first.usable) return first;
    const second = this.#compileAs(schema, "draft-07");
    return second.usable ? second : first;
  }

  #compileAs(schema: object, dialect: SchemaDialect): CompiledSchema {
    try {
      const { $schema: _dialect, ...rest } = schema as { readonly $schema?: unknown };
      const validate = this.#compileOnce(withBudget(rest, { depth: 0, isMap: false }) as object, dialect);
      if ("$async" in validate) return unusable('it is "$async"');
      return { usable: true, dialect, check: (value) => this.#check(validate, value) };
    } catch (error) {
      return unusable(error instanceof Error ? error.message : String(error));
    }
  }

  #compileOnce(schema: object, dialect: SchemaDialect): ValidateFunction {
    const engine = this.#engine(dialect);
    const before = namesIn(engine);
    try {
      return engine.compile(schema);
    } finally {
      // The engine keeps each schema object for ever, and refuses a second one with the same "$id".
      engine.removeSchema(schema);
      // A schema that calls itself by the "$id" of a meta-schema has just removed that one: start over.
      if (namesIn(engine) !== before) this.#engines.delete(dialect);
    }
  }

  #check(validate: ValidateFunction, value: unknown): SchemaCheck {
    this.#budget.left = this.#options.referenceVisitsMax;
    try {
      const valid: unknown = validate(value);
      return valid === true ? { valid } : { valid: false, reason: "mismatch", problems: problemsOf(validate.errors) };
    } catch (error) {
      // A stack overflow is a RangeError: a schema that refers to itself without taking a step into the value.
      if (!(error instanceof BudgetSpent || error instanceof RangeError)) throw error;
      return { valid: false, reason: "too-complex", problems: [] };
    }
  }

  #engine(dialect: SchemaDialect): Ajv | Ajv2020 {
    const known = this.#engines.get(dialect);
    if (known !== undefined) return known;
    const engine = dialect === "draft-07" ? new Ajv(engineOptions) : new Ajv2020(engineOptions);
    engine.removeKeyword("uniqueItems");
    engine.addKeyword({ keyword: "uniqueItems", type: "array", schemaType: "boolean", validate: itemsAreUnique });
    engine.addKeyword({ keyword: budgetKeyword, schema: false, validate: () => this.#visit() });
    this.#engines.set(dialect, engine);
    return engine;
  }

  #visit(): true {
    this.#budget.left -= 1;
    if (this.#budget.left < 0) throw new BudgetSpent();
    return true;
  }
}

const namesIn = (engine: Ajv | Ajv2020): number => Object.keys(engine.refs).length + Object.keys(engine.schemas).length;

const engineOptions: Options = {
  strict: false,
  allErrors: false,
  inlineRefs: false,
  logger: false,
  ownProperties: true,
  validateFormats: false,
  code: { regExp: Object.assign(linearRegExp, { code: "linearRegExp" }) },
};

function linearRegExp(source: string): { readonly test: (text: string) => boolean; readonly toString: () => string } {
  const result = compilePattern(source);
  if (!result.ok) throw new SyntaxError(result.message);
  // The engine tells patterns apart by their text: without it every pattern of every tool would be the first one.
  return { test: result.pattern.test, toString: () => source };
}

function itemsAreUnique(wanted: unknown, items: readonly unknown[]): boolean {
  return wanted !== true || new Set(items.map((item) => canonicalJson(item))).size === items.length;
}

function unusable(reason: string): CompiledSchema {
  return { usable: false, message: `Cannot use the schema: ${reason}` };
}

function textOf(schema: unknown): string | undefined {
  try {
    return JSON.stringify(schema);
  } catch {
    // A cycle, a bigint or a depth that overflows the stack: none of them is JSON that came over a wire.
    return undefined;
  }
}

const problemsOf = (errors: readonly ErrorObject[] | null | undefined): readonly SchemaProblem[] =>
  (errors ?? []).slice(0, problemsMax).map((error) => ({
    path: error.instancePath,
    keyword: error.keyword,
    message: error.message ?? "does not fit",
  }));

/** Keywords whose value is data, not a schema: it must stay as it is. */
const dataKeywords: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);
/** Keywords whose value maps names to schemas: a name there is no keyword. */
const mapKeywords: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
]);

/** A copy in which each schema with a reference also counts its visits. */
function withBudget(node: unknown, place: { readonly depth: number; readonly isMap: boolean }): unknown {
  if (typeof node !== "object" || node === null) return node;
  if (place.depth > schemaDepthMax) throw new RangeError(`it is deeper than ${schemaDepthMax} levels`);
  const depth = place.depth + 1;
  if (Array.isArray(node)) return node.map((item) => withBudget(item, { depth, isMap: false }));
  const members = Object.entries(node).map(([key, value]): [string, unknown] => {
    const isData = !place.isMap && dataKeywords.has(key);
    return [key, isData ? value : withBudget(value, { depth, isMap: !place.isMap && mapKeywords.has(key) })];
  });
  const refers = members.some(([key, value]) => (key === "$ref" || key === "$dynamicRef") && typeof value === "string");
  if (!place.isMap && refers) members.push([budgetKeyword, true]);
  // Not by assignment: a member named "__proto__" must stay a member.
  return Object.fromEntries(members);
}
