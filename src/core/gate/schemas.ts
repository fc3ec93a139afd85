/**
 * Compiles the JSON Schemas of tools and validates arguments.
 *
 * Schemas come from requests and MCP servers, arguments from a model: neither is trusted. Hence no remote `$ref`, no `$async`,
 * linear-time patterns, `uniqueItems` without a quadratic comparison, a limit of reference visits per check, formats as annotations
 * (as in 2020-12), and limits on size and number. Values are never coerced or completed: what was checked is what is executed.
 */
import { LecternError } from "../errors.ts";
import { parseJson } from "../json/parse-json.ts";
import type { SchemaPattern } from "../json-schema/applied-keywords.ts";
import { compileSchema, type SchemaVerdict } from "../json-schema/json-schema.ts";
import type { SchemaDialect } from "../json-schema/schema-form.ts";
import { isObject, type SchemaObject, type SchemaProblem } from "../json-schema/schema-run.ts";

/** Whether a value is valid; `too-complex` if the check exceeded its limits. */
export type SchemaCheck =
  | { readonly valid: true }
  | { readonly valid: false; readonly reason: "mismatch" | "too-complex"; readonly problems: readonly SchemaProblem[] };

/** A compiled schema, or the reason why it cannot be used. */
export type CompiledSchema =
  | { readonly usable: true; readonly dialect: SchemaDialect; readonly check: (value: unknown) => SchemaCheck }
  | { readonly usable: false; readonly message: string };

/** Compiles a regular expression in RE2 syntax; throws an `Error` with the reason why it cannot be used. */
export type PatternReader = (source: string) => SchemaPattern;

/** What a policy with a regular expression, or a schema with one, is refused with. */
export const needsPatterns =
  'It has a regular expression: pass their reader, checkPolicy(policy, { patterns }) with { patterns } from "lectern/patterns"';

export interface SchemaStoreOptions {
  /** Reads regular expressions. Default null: a schema with one is unusable. */
  readonly patterns?: PatternReader | null;
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

/** A bounded cache of compiled schemas. */
export class SchemaStore {
  readonly #options: Required<SchemaStoreOptions>;
  /** By text, because each request brings its tools as new objects. Least recently used first. */
  readonly #kept = new Map<string, CompiledSchema>();

  constructor(options: SchemaStoreOptions = {}) {
    this.#options = {
      patterns: null,
      schemasMax: 256,
      schemaCharsMax: 262_144,
      referenceVisitsMax: 100_000,
      ...options,
    };
  }

  get size(): number {
    return this.#kept.size;
  }

  compile(schema: unknown): CompiledSchema {
    const text = textOf(schema);
    if (text === undefined) return unusable("it is not JSON");
    if (text.length > this.#options.schemaCharsMax)
      return unusable(`it has ${text.length} characters, the limit is ${this.#options.schemaCharsMax}`);
    const known = this.#kept.get(text);
    const compiled = known ?? this.#compile(text);
    this.#kept.delete(text);
    this.#kept.set(text, compiled);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#options.schemasMax) break;
      this.#kept.delete(oldest);
    }
    return compiled;
  }

  /** From the text: the caller's object may change. */
  #compile(text: string): CompiledSchema {
    const schema = objectOf(text);
    if (schema === undefined) return unusable("it is not an object, or too deep");
    const { $schema: named } = schema;
    if (named === undefined) return this.#compileUnnamed(schema);
    const dialect = typeof named === "string" ? dialects.get(named.replace(/#$/, "")) : undefined;
    if (dialect === undefined) return unusable(`its "$schema" is neither 2020-12 nor draft-07`);
    return this.#compileAs(schema, dialect);
  }

  /** The default is 2020-12; draft-07 is tried next, because many tools still use it (`items` as a list). */
  #compileUnnamed(schema: SchemaObject): CompiledSchema {
    const first = this.#compileAs(schema, "2020-12");
    if (first.usable) return first;
    const second = this.#compileAs(schema, "draft-07");
    return second.usable ? second : first;
  }

  #compileAs(schema: SchemaObject, dialect: SchemaDialect): CompiledSchema {
    const { referenceVisitsMax, patterns } = this.#options;
    try {
      const check = compileSchema(schema, {
        dialect,
        pattern: patterns ?? refusedPattern,
        referenceVisitsMax,
        problemsMax,
      });
      return { usable: true, dialect, check: (value) => checkOf(check(value)) };
    } catch (error) {
      return unusable(error instanceof Error ? error.message : String(error));
    }
  }
}

function checkOf(verdict: SchemaVerdict): SchemaCheck {
  if (verdict.valid) return verdict;
  const problems = verdict.problems.map(({ path, keyword, message }) => ({ path, keyword, message }));
  return { valid: false, reason: verdict.reason, problems };
}

function refusedPattern(): never {
  throw new Error(needsPatterns);
}

function objectOf(text: string): SchemaObject | undefined {
  try {
    const value = parseJson(text, { textCharsMax: Infinity });
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof LecternError) return undefined;
    throw error;
  }
}

const unusable = (reason: string): CompiledSchema => ({ usable: false, message: `Cannot use the schema: ${reason}` });

function textOf(schema: unknown): string | undefined {
  try {
    return JSON.stringify(schema);
  } catch {
    // A cycle, a bigint or a depth that overflows the stack cannot come from JSON text.
    return undefined;
  }
}
