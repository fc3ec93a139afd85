/**
 * Compiles the JSON Schemas of tools and validates arguments.
 *
 * Schemas come from requests and MCP servers, arguments from a model: neither is trusted. Hence no remote `$ref`, no `$async`,
 * linear-time patterns, `uniqueItems` without a quadratic comparison, a limit of reference visits per check, formats as annotations
 * (as in 2020-12), and limits on size and number. Values are never coerced or completed: what was checked is what is executed.
 */
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { canonicalJson } from "./canonical-json.ts";
import { compilePattern } from "./patterns.ts";

export type SchemaDialect = "2020-12" | "draft-07";

/** One mismatch. Without the value, which may be a secret. */
export interface SchemaProblem {
  /** JSON Pointer into the arguments. */
  readonly path: string;
  readonly keyword: string;
  readonly message: string;
}

/** Whether a value is valid; `too-complex` if the check exceeded its limits. */
export type SchemaCheck =
  | { readonly valid: true }
  | { readonly valid: false; readonly reason: "mismatch" | "too-complex"; readonly problems: readonly SchemaProblem[] };

/** A compiled schema, or the reason why it cannot be used. */
export type CompiledSchema =
  | { readonly usable: true; readonly dialect: SchemaDialect; readonly check: (value: unknown) => SchemaCheck }
  | { readonly usable: false; readonly message: string };

export interface SchemaStoreOptions {
  /** Compiled schemas that are cached; the least recently used one is evicted. Default 256. */
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
 * A bounded cache of compiled schemas.
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
  /** By text, because each request brings its tools as new objects. Least recently used first. */
  readonly #kept = new Map<string, CompiledSchema>();
  readonly #engines = new Map<SchemaDialect, Ajv | Ajv2020>();
  /** Reference visits left in the current check: a schema of 40 lines can cause 2^40. */
  readonly #budget = { left: 0 };

  constructor(options: SchemaStoreOptions = {}) {
    this.#options = { schemasMax: 256, schemaCharsMax: 262_144, referenceVisitsMax: 100_000, ...options };
  }

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

  /** The default is 2020-12; draft-07 is tried next, because many tools still use it (`items` as a list). */
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
      // The engine would keep each schema forever, and reject a second one with the same "$id".
      engine.removeSchema(schema);
      // A schema with the "$id" of a meta-schema has just removed that one: start with a new engine.
      if (namesIn(engine) !== before) this.#engines.delete(dialect);
    }
  }

  #check(validate: ValidateFunction, value: unknown): SchemaCheck {
    this.#budget.left = this.#options.referenceVisitsMax;
    try {
      const valid: unknown = validate(value);
      return valid === true ? { valid } : { valid: false, reason: "mismatch", problems: problemsOf(validate.errors) };
    } catch (error) {
      // RangeError: a stack overflow, by a schema that refers to itself without descending into the value.
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
    // A cycle, a bigint or a depth that overflows the stack cannot come from JSON text.
    return undefined;
  }
}

const problemsOf = (errors: readonly ErrorObject[] | null | undefined): readonly SchemaProblem[] =>
  (errors ?? []).slice(0, problemsMax).map((error) => ({
    path: error.instancePath,
    keyword: error.keyword,
    message: error.message ?? "does not fit",
  }));

/** Keywords whose value is data, not a schema: it is not changed. */
const dataKeywords: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);
/** Keywords whose value maps names to schemas: the names in it are not keywords. */
const mapKeywords: ReadonlySet<string> = new Set(
  "properties patternProperties $defs definitions dependentSchemas dependencies".split(" "),
);

/** A copy in which each schema with a reference counts its visits. */
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
  // `fromEntries` keeps a member named "__proto__", unlike an assignment.
  return Object.fromEntries(members);
}
