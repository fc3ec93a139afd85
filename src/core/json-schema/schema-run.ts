/** The state of one check of a value against a compiled schema. */

/** One mismatch. Without the value, which may be a secret. */
export interface SchemaProblem {
  /** JSON Pointer into the value. */
  readonly path: string;
  readonly keyword: string;
  readonly message: string;
}

/** A mismatch with what a reader of files needs to describe it. */
export interface FoundProblem extends SchemaProblem {
  /** The keyword's value in the schema. */
  readonly wanted: unknown;
  readonly schema: SchemaObject;
  /** The name that is missing or not allowed. */
  readonly name: string | null;
}

export type SchemaObject = Readonly<Record<string, unknown>>;

/** True if the value fits; otherwise the run has the problems. */
export type ValueCheck = (value: unknown, run: SchemaRun) => boolean;

/** What the keywords of one object or list have looked at, for the `unevaluated` ones. */
export class Evaluated {
  readonly names = new Set<string>();
  allNames = false;
  /** All items before this index. */
  itemsBefore = 0;
  readonly items = new Set<number>();

  add(other: Evaluated): void {
    for (const name of other.names) this.names.add(name);
    for (const item of other.items) this.items.add(item);
    this.allNames ||= other.allNames;
    this.itemsBefore = Math.max(this.itemsBefore, other.itemsBefore);
  }
}

/** A check took more visits of references than allowed. */
export class VisitsSpent extends Error {}

export interface RunLimits {
  /** Visits of references: a schema of 40 lines can ask for 2^40. */
  readonly referenceVisitsMax: number;
  /** Problems that are kept; further ones are dropped. */
  readonly problemsMax: number;
  /** Finds every problem instead of the first one. */
  readonly findsAll: boolean;
}

export class SchemaRun {
  readonly problems: FoundProblem[] = [];
  readonly findsAll: boolean;
  /** Undefined unless an `unevaluated` keyword looks at the current value. */
  evaluated: Evaluated | undefined;
  readonly #problemsMax: number;
  #visitsLeft: number;

  constructor(limits: RunLimits) {
    this.findsAll = limits.findsAll;
    this.#problemsMax = limits.problemsMax;
    this.#visitsLeft = limits.referenceVisitsMax;
  }

  /** Throws `VisitsSpent`. */
  visit(): void {
    this.#visitsLeft -= 1;
    if (this.#visitsLeft < 0) throw new VisitsSpent();
  }

  fail(problem: Omit<FoundProblem, "path">): false {
    if (this.problems.length < this.#problemsMax) this.problems.push({ path: "", ...problem });
    return false;
  }

  /** Forgets the problems of an alternative that does not count. */
  forget(from: number): void {
    this.problems.length = Math.min(this.problems.length, from);
  }

  /** Checks a part of the value: its problems get the part's key in front of their path. */
  checkPart(check: ValueCheck, part: unknown, key: string | number): boolean {
    const { evaluated, problems } = this;
    const from = problems.length;
    this.evaluated = undefined;
    const valid = check(part, this);
    this.evaluated = evaluated;
    if (!valid) this.#prefix(from, key);
    return valid;
  }

  /** Checks one alternative: what it looked at counts only if it fits. */
  checkBranch(check: ValueCheck, value: unknown): boolean {
    const { evaluated } = this;
    if (evaluated === undefined) return check(value, this);
    const own = new Evaluated();
    this.evaluated = own;
    const valid = check(value, this);
    this.evaluated = evaluated;
    if (valid) evaluated.add(own);
    return valid;
  }

  #prefix(from: number, key: string | number): void {
    const segment = `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
    for (let index = from; index < this.problems.length; index += 1) {
      const problem = this.problems[index];
      if (problem !== undefined) this.problems[index] = { ...problem, path: segment + problem.path };
    }
  }
}

export const isObject = (value: unknown): value is SchemaObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
