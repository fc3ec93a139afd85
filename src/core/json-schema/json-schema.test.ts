import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv, type Options } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { runsOf } from "../../../test/support/searches.ts";
import { compileSchema } from "./json-schema.ts";
import type { SchemaDialect } from "./schema-form.ts";
import type { SchemaObject } from "./schema-run.ts";

const pattern = (source: string): RegExp => new RegExp(source, "u");

/** "path keyword" of each problem; undefined if the schema cannot be used. */
function problems(schema: SchemaObject, value: unknown, dialect: SchemaDialect = "2020-12"): readonly string[] {
  const verdict = compileSchema(schema, { dialect, pattern })(value);
  return verdict.valid ? [] : verdict.problems.map(({ path, keyword }) => `${path} ${keyword}`);
}

test("compileSchema names the path of a problem below references and alternatives", () => {
  const schema = {
    $defs: { name: { type: "string", minLength: 2 } },
    properties: {
      "a/b": { items: { $ref: "#/$defs/name" } },
      c: { anyOf: [{ type: "null" }, { $ref: "#/$defs/name" }] },
    },
  };
  assert.deepEqual(problems(schema, { "a/b": ["xx", "y"] }), ["/a~1b/1 minLength"]);
  assert.deepEqual(problems(schema, { c: "y" }), ["/c type", "/c minLength", "/c anyOf"]);
  assert.deepEqual(problems(schema, { c: null }), []);
});

test("compileSchema finds all problems if it is asked to", () => {
  const schema = { required: ["a", "b"], properties: { c: { type: "number" }, d: { maximum: 1 } } };
  const check = compileSchema(schema, { dialect: "2020-12", pattern, findsAll: true });
  const verdict = check({ c: "x", d: 2 });
  assert.deepEqual(!verdict.valid && verdict.problems.map(({ keyword }) => keyword).toSorted(), [
    "maximum",
    "required",
    "required",
    "type",
  ]);
});

/** Values that meet the keywords below often. */
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, false, 0, 1, 2, 3, -1, 1.5, 4, "", "a", "ab", "b", "😀", "aab"),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom("a", "b", "c", "ab"), tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

const count = fc.integer({ min: 0, max: 3 });
const number = fc.constantFrom(0, 1, 1.5, 2, -1);
const names = fc.uniqueArray(fc.constantFrom("a", "b", "c", "toString"), { maxLength: 2 });
const typeName = fc.constantFrom("string", "number", "integer", "boolean", "null", "array", "object");
const source = fc.constantFrom("^a", "b$", "a+b", "^$");
const reference = fc.constantFrom("#", "#/$defs/a", "#/definitions/b", "#/$defs/a/items", "#anchor", "#/properties/a");

/** Keywords that both dialects know, or that one of them ignores. Some values have a wrong form. */
function keywordsWith(schema: fc.Arbitrary<unknown>): Record<string, fc.Arbitrary<unknown>> {
  const list = fc.array(schema, { minLength: 1, maxLength: 3 });
  const map = fc.dictionary(fc.constantFrom("a", "b", "ab"), schema, { maxKeys: 3, noNullPrototype: true });
  return {
    type: fc.oneof(typeName, fc.uniqueArray(typeName, { minLength: 1, maxLength: 3 }), fc.constant("strnig")),
    enum: fc.uniqueArray(value, { minLength: 1, maxLength: 3, selector: (item) => JSON.stringify(item) }),
    const: value,
    minimum: number,
    maximum: number,
    exclusiveMinimum: number,
    exclusiveMaximum: fc.oneof(number, fc.constant(true)),
    multipleOf: fc.constantFrom(1, 2, 0.5, 0),
    minLength: count,
    maxLength: fc.oneof(count, fc.constantFrom(-1, "1")),
    pattern: source,
    minItems: count,
    maxItems: count,
    uniqueItems: fc.boolean(),
    items: fc.oneof({ weight: 3, arbitrary: schema }, { weight: 1, arbitrary: list }),
    additionalItems: schema,
    prefixItems: list,
    contains: schema,
    minContains: count,
    maxContains: count,
    minProperties: count,
    maxProperties: count,
    required: names,
    properties: map,
    patternProperties: fc.dictionary(source, schema, { minKeys: 1, maxKeys: 2, noNullPrototype: true }),
    additionalProperties: schema,
    propertyNames: schema,
    dependencies: fc.dictionary(fc.constantFrom("a", "b"), fc.oneof(names, schema), {
      maxKeys: 2,
      noNullPrototype: true,
    }),
    dependentRequired: fc.dictionary(fc.constantFrom("a", "b"), names, { maxKeys: 2, noNullPrototype: true }),
    dependentSchemas: map,
    allOf: list,
    anyOf: list,
    oneOf: list,
    not: schema,
    if: schema,
    else: schema,
    $ref: reference,
    $defs: fc.dictionary(fc.constantFrom("a", "b"), schema, { maxKeys: 2, noNullPrototype: true }),
    definitions: fc.dictionary(fc.constantFrom("a", "b"), schema, { maxKeys: 2, noNullPrototype: true }),
    unevaluatedProperties: schema,
    unevaluatedItems: schema,
    title: fc.oneof({ weight: 9, arbitrary: fc.constant("t") }, { weight: 1, arbitrary: fc.constant(1) }),
    "x-unknown": schema,
  };
}

const { schema } = fc.letrec<{ schema: unknown }>((tie) => {
  const keywords = [...Object.entries(keywordsWith(tie("schema"))), ["then", tie("schema")] as const];
  const member = fc
    .constantFrom(...keywords)
    .chain(([keyword, arbitrary]) => fc.tuple(fc.constant(keyword), arbitrary));
  return {
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.boolean(),
      fc.array(member, { minLength: 1, maxLength: 4 }).map((members) => Object.fromEntries(members)),
    ),
  };
});

/** The peer counts less as evaluated, or more, than the specification says; and forgets it at a reference. */
function differs(node: unknown): boolean {
  const text = JSON.stringify(node);
  return /"unevaluated(?:Items|Properties)"/.test(text) && /"(?:contains|if|[$]ref|dependencies)"/.test(text);
}

const peerOptions: Options = {
  strict: false,
  inlineRefs: false,
  logger: false,
  ownProperties: true,
  validateFormats: false,
};

type Verdict = boolean | "too-complex" | "unusable" | "unresolved";

type Judge = (instance: unknown) => Verdict;

/** Compiles once: most of the time of the fuzz is the compiler of the peer. */
function peerJudge(node: SchemaObject, dialect: SchemaDialect): Judge {
  let check: (instance: unknown) => boolean;
  try {
    check = (dialect === "draft-07" ? new Ajv(peerOptions) : new Ajv2020(peerOptions)).compile(node);
  } catch {
    return () => "unusable";
  }
  return (instance) => {
    try {
      return check(instance);
    } catch (error) {
      return error instanceof RangeError ? "too-complex" : "unusable";
    }
  };
}

function ourVerdict(node: SchemaObject, instance: unknown, dialect: SchemaDialect): Verdict {
  let check: ReturnType<typeof compileSchema>;
  try {
    check = compileSchema(node, { dialect, pattern });
  } catch (error) {
    return String(error).includes("can't resolve") ? "unresolved" : "unusable";
  }
  const verdict = check(instance);
  return verdict.valid || (verdict.reason === "too-complex" ? "too-complex" : false);
}

for (const dialect of ["2020-12", "draft-07"] as const) {
  test(`compileSchema judges as ajv does, ${dialect}`, () => {
    fc.assert(
      fc.property(schema, fc.array(value, { minLength: 4, maxLength: 4 }), (node, instances) => {
        fc.pre(typeof node === "object" && node !== null && !differs(node));
        const peerOf = peerJudge(node as SchemaObject, dialect);
        for (const instance of instances) {
          const ours = ourVerdict(node as SchemaObject, instance, dialect);
          const peer = peerOf(instance);
          // The peer finds a reference that leads nowhere only where it looks, and loops in another order of keywords.
          const isSame = ours === peer || ours === "unresolved" || peer === "too-complex";
          assert.ok(
            isSame || (ours === "too-complex" && peer === false),
            `${ours}, the peer ${peer}: ${JSON.stringify([node, instance])}`,
          );
          if (ours === "unusable" || ours === "unresolved") break;
        }
      }),
      { numRuns: runsOf(150), seed: 15 },
    );
  });
}
