/** The keywords that apply other schemas: to the parts of a value, or as alternatives to the value itself. */
import { isObject, type ValueCheck, type SchemaRun } from "./schema-run.ts";
import { dependentRequired, problem, type KeywordPlace } from "./value-keywords.ts";

/** A pattern that ends in time linear in the text. */
export interface SchemaPattern {
  readonly test: (text: string) => boolean;
}

export interface AppliedPlace extends KeywordPlace {
  readonly compile: (schema: unknown) => ValueCheck;
  readonly pattern: (source: string) => SchemaPattern;
  /** The schema that a reference means. */
  readonly refer: (reference: string) => ValueCheck;
}

export type AppliedKeyword = (place: AppliedPlace) => ValueCheck | undefined;

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const listOf = (value: unknown): readonly unknown[] => (isList(value) ? value : []);
const entriesOf = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : []);

const pattern: AppliedKeyword = (place) => {
  const compiled = place.pattern(place.wanted as string);
  const failure = problem(place, `must match pattern "${place.wanted as string}"`);
  return (value, run) => typeof value !== "string" || compiled.test(value) || run.fail(failure);
};

const reference: AppliedKeyword = (place) => {
  const target = place.refer(place.wanted as string);
  return (value, run) => {
    run.visit();
    return target(value, run);
  };
};

/** Runs checks of parts, of which one that fails is enough unless all problems are wanted. */
function every<Part>(parts: Iterable<Part>, run: SchemaRun, check: (part: Part) => boolean): boolean {
  let valid = true;
  for (const part of parts) {
    if (check(part)) continue;
    valid = false;
    if (!run.findsAll) return false;
  }
  return valid;
}

const properties: AppliedKeyword = (place) => {
  const checks = entriesOf(place.wanted).map(([name, schema]) => [name, place.compile(schema)] as const);
  return (value, run) =>
    !isObject(value) ||
    every(checks, run, ([name, check]) => {
      if (!Object.hasOwn(value, name)) return true;
      run.evaluated?.names.add(name);
      return run.checkPart(check, value[name], name);
    });
};

const patternsOf = (place: AppliedPlace): (readonly [SchemaPattern, unknown])[] =>
  entriesOf(place.schema["patternProperties"]).map(([source, schema]) => [place.pattern(source), schema]);

const patternProperties: AppliedKeyword = (place) => {
  const checks = patternsOf(place).map(([matcher, schema]) => [matcher, place.compile(schema)] as const);
  return (value, run) =>
    !isObject(value) ||
    every(Object.keys(value), run, (name) =>
      every(checks, run, ([matcher, check]) => {
        if (!matcher.test(name)) return true;
        run.evaluated?.names.add(name);
        return run.checkPart(check, value[name], name);
      }),
    );
};

const additionalProperties: AppliedKeyword = (place) => {
  const known = new Set(entriesOf(place.schema["properties"]).map(([name]) => name));
  const matchers = patternsOf(place).map(([matcher]) => matcher);
  return ofNames(place, {
    message: "must NOT have additional properties",
    isLeftOut: (name) => known.has(name) || matchers.some((matcher) => matcher.test(name)),
  });
};

const unevaluatedProperties: AppliedKeyword = (place) =>
  ofNames(place, {
    message: "must NOT have unevaluated properties",
    isLeftOut: (name, { evaluated }) => evaluated?.allNames === true || evaluated?.names.has(name) === true,
  });

/** A schema for the properties that no other keyword looks at. */
function ofNames(
  place: AppliedPlace,
  options: { readonly message: string; readonly isLeftOut: (name: string, run: SchemaRun) => boolean },
): ValueCheck {
  const check = place.wanted === false ? undefined : place.compile(place.wanted);
  return (value, run) => {
    if (!isObject(value)) return true;
    const valid = every(Object.keys(value), run, (name) => {
      if (options.isLeftOut(name, run)) return true;
      if (check !== undefined) return run.checkPart(check, value[name], name);
      return run.fail(problem(place, options.message, name));
    });
    if (run.evaluated !== undefined) run.evaluated.allNames = true;
    return valid;
  };
}

const propertyNames: AppliedKeyword = (place) => {
  const check = place.compile(place.wanted);
  const failure = problem(place, "property name must be valid");
  return (value, run) =>
    !isObject(value) ||
    every(Object.keys(value), run, (name) => run.checkBranch(withoutEvaluated(check), name) || run.fail(failure));
};

/** The name of a property is not the value whose parts are evaluated. */
function withoutEvaluated(check: ValueCheck): ValueCheck {
  return (value, run) => {
    run.evaluated = undefined;
    return check(value, run);
  };
}

const dependentSchemas: AppliedKeyword = (place) => {
  const checks = entriesOf(place.wanted)
    .filter(([, schema]) => !isList(schema))
    .map(([name, schema]) => [name, place.compile(schema)] as const);
  return (value, run) =>
    !isObject(value) || every(checks, run, ([name, check]) => !Object.hasOwn(value, name) || check(value, run));
};

const dependencies: AppliedKeyword = (place) => {
  const [names, schemas] = [dependentRequired(place), dependentSchemas(place)];
  return (value, run) => names(value, run) && (schemas?.(value, run) ?? true);
};

const tuple: AppliedKeyword = (place) => {
  const checks = listOf(place.wanted).map((schema) => place.compile(schema));
  return (value, run) => {
    if (!isList(value)) return true;
    if (run.evaluated !== undefined) run.evaluated.itemsBefore = Math.max(run.evaluated.itemsBefore, checks.length);
    return every(checks.entries(), run, ([index, check]) =>
      index >= value.length ? true : run.checkPart(check, value[index], index),
    );
  };
};

const items: AppliedKeyword = (place) => itemsFrom(place, listOf(place.schema["prefixItems"]).length);

const additionalItems: AppliedKeyword = (place) =>
  isList(place.schema["items"]) ? itemsFrom(place, place.schema["items"].length) : undefined;

function itemsFrom(place: AppliedPlace, start: number): ValueCheck {
  const check = place.wanted === false ? undefined : place.compile(place.wanted);
  const failure = problem(place, `must NOT have more than ${start} items`);
  return (value, run) => {
    if (!isList(value)) return true;
    if (run.evaluated !== undefined) run.evaluated.itemsBefore = Infinity;
    if (check === undefined) return value.length <= start || run.fail(failure);
    let valid = true;
    for (let index = start; index < value.length; index += 1) {
      if (run.checkPart(check, value[index], index)) continue;
      valid = false;
      if (!run.findsAll) return false;
    }
    return valid;
  };
}

const unevaluatedItems: AppliedKeyword = (place) => {
  const check = place.compile(place.wanted);
  const failure = problem(place, "must NOT have unevaluated items");
  return (value, run) => {
    if (!isList(value)) return true;
    const { evaluated } = run;
    const valid = every(value.entries(), run, ([index, item]) => {
      if (index < (evaluated?.itemsBefore ?? 0) || evaluated?.items.has(index) === true) return true;
      return place.wanted === false ? run.fail(failure) : run.checkPart(check, item, index);
    });
    if (evaluated !== undefined) evaluated.itemsBefore = Infinity;
    return valid;
  };
};

const contains: AppliedKeyword = (place) =>
  containsCount(place, asCount(place.schema["minContains"]) ?? 1, asCount(place.schema["maxContains"]) ?? Infinity);

function containsCount(place: AppliedPlace, min: number, max: number): ValueCheck {
  const check = place.compile(place.wanted);
  const upTo = max === Infinity ? "" : ` and no more than ${max}`;
  const failure = problem(place, `must contain at least ${min}${upTo} valid item(s)`);
  return (value, run) => {
    if (!isList(value)) return true;
    const from = run.problems.length;
    let count = 0;
    for (const [index, item] of value.entries()) {
      if (!run.checkPart(check, item, index)) continue;
      count += 1;
      run.evaluated?.items.add(index);
    }
    run.forget(from);
    return (count >= min && count <= max) || run.fail(failure);
  };
}

const asCount = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

const compileAll = (place: AppliedPlace): readonly ValueCheck[] =>
  listOf(place.wanted).map((each) => place.compile(each));

const allOf: AppliedKeyword = (place) => {
  const checks = compileAll(place);
  return (value, run) => every(checks, run, (check) => check(value, run));
};

/** All alternatives are tried if what they look at counts. */
const anyOf: AppliedKeyword = (place) => {
  const checks = compileAll(place);
  const failure = problem(place, "must match a schema in anyOf");
  return (value, run) => {
    const from = run.problems.length;
    let valid = false;
    for (const check of checks) {
      if (run.checkBranch(check, value)) valid = true;
      if (valid && run.evaluated === undefined) break;
    }
    if (!valid) return run.fail(failure);
    run.forget(from);
    return true;
  };
};

const oneOf: AppliedKeyword = (place) => {
  const checks = compileAll(place);
  const failure = problem(place, "must match exactly one schema in oneOf");
  return (value, run) => {
    const from = run.problems.length;
    let count = 0;
    for (const check of checks) if (run.checkBranch(check, value)) count += 1;
    if (count > 0) run.forget(from);
    return count === 1 || run.fail(failure);
  };
};

const not: AppliedKeyword = (place) => {
  const check = place.compile(place.wanted);
  const failure = problem(place, "must NOT be valid");
  return (value, run) => {
    const from = run.problems.length;
    const { evaluated } = run;
    const valid = run.checkBranch(withoutEvaluated(check), value);
    run.evaluated = evaluated;
    run.forget(from);
    return !valid || run.fail(failure);
  };
};

const condition: AppliedKeyword = (place) => {
  const test = place.compile(place.wanted);
  const [ifValid, ifNot] = [clauseOf(place, "then"), clauseOf(place, "else")];
  return (value, run) => {
    const from = run.problems.length;
    const isValid = run.checkBranch(test, value);
    run.forget(from);
    const fits = isValid ? ifValid(value, run) : ifNot(value, run);
    return fits || run.fail(problem(place, `must match "${isValid ? "then" : "else"}" schema`));
  };
};

const clauseOf = (place: AppliedPlace, name: string): ValueCheck =>
  place.schema[name] === undefined ? () => true : place.compile(place.schema[name]);

const both = {
  $ref: reference,
  pattern,
  properties,
  patternProperties,
  additionalProperties,
  propertyNames,
  dependencies,
  allOf,
  anyOf,
  oneOf,
  not,
  if: condition,
} satisfies Readonly<Record<string, AppliedKeyword>>;

/** Of draft-07, in the order in which they are checked. */
export const draft07Keywords: Readonly<Record<string, AppliedKeyword>> = {
  ...both,
  contains: (place) => containsCount(place, 1, Infinity),
  items: (place) => (isList(place.wanted) ? tuple(place) : itemsFrom(place, 0)),
  additionalItems,
};

/** Of 2020-12; the unevaluated ones come last, because they depend on the others. */
export const draft2020Keywords: Readonly<Record<string, AppliedKeyword>> = {
  ...both,
  contains,
  $dynamicRef: reference,
  prefixItems: tuple,
  items,
  dependentRequired,
  dependentSchemas,
  unevaluatedItems,
  unevaluatedProperties,
};
