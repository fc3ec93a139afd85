/**
 * JSON Schema (2020-12, draft-07) without code generation: a schema becomes functions that call each other. For schemas and values that
 * are not trusted: nothing is fetched, patterns are the caller's own, references are counted, nothing is coerced or filled in.
 */
import { draft07Keywords, draft2020Keywords, type AppliedPlace, type SchemaPattern } from "./applied-keywords.ts";
import { formProblem, type SchemaDialect } from "./schema-form.ts";
import { SchemaReferences } from "./schema-references.ts";
import { Evaluated, isObject, SchemaRun, VisitsSpent, type ValueCheck, type FoundProblem } from "./schema-run.ts";
import type { SchemaObject } from "./schema-run.ts";
import { problem, valueKeywords } from "./value-keywords.ts";

export interface SchemaOptions {
  readonly dialect: SchemaDialect;
  /** Compiles a pattern; throws an `Error` for one that cannot be used. */
  readonly pattern: (source: string) => SchemaPattern;
  /** Visits of references in one check. Default 100,000. */
  readonly referenceVisitsMax?: number;
  /** Problems in the result. Default 10. */
  readonly problemsMax?: number;
  /** Finds every problem instead of the first one. Default false. */
  readonly findsAll?: boolean;
}

/** What is wrong with a value: nothing, or its problems; `too-complex` if the check exceeded its limits. */
export type SchemaVerdict =
  | { readonly valid: true }
  | { readonly valid: false; readonly reason: "mismatch" | "too-complex"; readonly problems: readonly FoundProblem[] };

/** Compiles a schema. Throws an `Error` if it cannot be used. */
export function compileSchema(schema: SchemaObject, options: SchemaOptions): (value: unknown) => SchemaVerdict {
  const check = new SchemaCompiler(schema, options).compile(schema);
  const { referenceVisitsMax = 100_000, problemsMax = 10, findsAll = false } = options;
  return (value) => {
    const run = new SchemaRun({ referenceVisitsMax, problemsMax, findsAll });
    try {
      if (check(value, run)) return { valid: true };
    } catch (error) {
      // RangeError: a stack overflow, by a schema that refers to itself without descending into the value.
      if (!(error instanceof VisitsSpent || error instanceof RangeError)) throw error;
      return { valid: false, reason: "too-complex", problems: [] };
    }
    return { valid: false, reason: "mismatch", problems: run.problems };
  };
}

class SchemaCompiler {
  readonly #options: SchemaOptions;
  readonly #references: SchemaReferences;
  /** Filled in when a schema is compiled, so that it can refer to itself. */
  readonly #compiled = new Map<object, { check: ValueCheck }>();
  readonly #formed = new Set<object>();

  constructor(root: SchemaObject, options: SchemaOptions) {
    this.#options = options;
    this.#references = new SchemaReferences(root);
    this.#demandForm(root);
  }

  compile(schema: unknown): ValueCheck {
    if (typeof schema === "boolean") return schema ? () => true : refuse;
    if (!isObject(schema)) throw new Error("schema must be object or boolean");
    return this.#entry(schema).check;
  }

  #entry(schema: SchemaObject): { check: ValueCheck } {
    const known = this.#compiled.get(schema);
    if (known !== undefined) return known;
    const entry: { check: ValueCheck } = { check: (value, run) => entry.check(value, run) };
    this.#compiled.set(schema, entry);
    entry.check = joined(this.#checksOf(schema), schema);
    return entry;
  }

  #checksOf(schema: SchemaObject): ValueCheck[] {
    const checks = keywordsIn(schema, valueKeywords).map(([keyword, make]) =>
      make({ schema, keyword, wanted: schema[keyword] }),
    );
    const applied = this.#options.dialect === "draft-07" ? draft07Keywords : draft2020Keywords;
    for (const [keyword, make] of keywordsIn(schema, applied)) {
      const check = make(this.#place(schema, keyword));
      if (check !== undefined) checks.push(check);
    }
    return checks;
  }

  #place(schema: SchemaObject, keyword: string): AppliedPlace {
    return {
      schema,
      keyword,
      wanted: schema[keyword],
      pattern: this.#options.pattern,
      compile: (part) => this.compile(part),
      refer: (reference) => this.#refer(schema, keyword, reference),
    };
  }

  #refer(schema: SchemaObject, keyword: string, reference: string): ValueCheck {
    // Within one document it is a plain reference.
    if (keyword === "$dynamicRef" && this.#references.hasEmbedded)
      throw new Error('"$dynamicRef" in a schema with several "$id" is not supported');
    const target = this.#references.find(schema, reference);
    if (typeof target === "boolean") return this.compile(target);
    this.#demandForm(target);
    const entry = this.#entry(target);
    return (value, run) => entry.check(value, run);
  }

  #demandForm(schema: SchemaObject): void {
    const wrong = formProblem(schema, { path: "", dialect: this.#options.dialect, seen: this.#formed });
    if (wrong !== undefined) throw new Error(wrong);
  }
}

const refuse: ValueCheck = (_value, run) =>
  run.fail(problem({ schema: {}, keyword: "false schema", wanted: false }, "boolean schema is false"));

/** The keywords of a schema that are in the table, in the table's order. */
const keywordsIn = <Make>(schema: SchemaObject, table: Readonly<Record<string, Make>>): (readonly [string, Make])[] =>
  Object.entries(table).filter(([keyword]) => Object.hasOwn(schema, keyword));

/** All checks of one schema. Behind a wrong type the others would say the same again. */
function joined(checks: readonly ValueCheck[], schema: SchemaObject): ValueCheck {
  const [first = () => true, ...others] = checks;
  const stopsEarly = Object.hasOwn(schema, "type");
  const all: ValueCheck = (value, run) => {
    let valid = first(value, run);
    if (!valid && (stopsEarly || !run.findsAll)) return false;
    for (const check of others) {
      if (check(value, run)) continue;
      valid = false;
      if (!run.findsAll) return false;
    }
    return valid;
  };
  const looks = Object.hasOwn(schema, "unevaluatedProperties") || Object.hasOwn(schema, "unevaluatedItems");
  return looks ? withEvaluated(all) : all;
}

function withEvaluated(check: ValueCheck): ValueCheck {
  return (value, run) => {
    const outer = run.evaluated;
    const own = new Evaluated();
    run.evaluated = own;
    const valid = check(value, run);
    run.evaluated = outer;
    if (valid) outer?.add(own);
    return valid;
  };
}
