/** A pattern as a list of steps (Thompson's construction). */
import type { CharSet } from "./char-set.ts";
import type { Assertion, PatternNode } from "./pattern-tree.ts";

/** Steps refer to each other by index; the search begins at the last one. */
type ProgramStep =
  | { readonly type: "char"; readonly set: number; readonly next: number }
  | { readonly type: "assertion"; readonly assertion: Assertion; readonly next: number }
  | { readonly type: "either"; next: number; readonly other: number }
  | { readonly type: "match" };

export interface PatternProgram {
  readonly steps: readonly ProgramStep[];
  readonly start: number;
  /** The sets of the `char` steps, each once. */
  readonly sets: readonly CharSet[];
}

/** More is refused: a program is at worst run whole for each character. */
const stepsMax = 10_000;

/** Throws a `SyntaxError` for a pattern that is too large. */
export function programOf(node: PatternNode): PatternProgram {
  const builder = new ProgramBuilder();
  const start = builder.add(node, builder.step({ type: "match" }));
  return { steps: builder.steps, start, sets: [...builder.sets.keys()] };
}

class ProgramBuilder {
  readonly steps: ProgramStep[] = [];
  readonly sets = new Map<CharSet, number>();

  step(step: ProgramStep): number {
    if (this.steps.length >= stepsMax) throw new SyntaxError("expression is too large");
    return this.steps.push(step) - 1;
  }

  /** Adds the steps of a node before the step `next`; returns the first of them. */
  add(node: PatternNode, next: number): number {
    switch (node.type) {
      case "char":
        return this.step({ type: "char", set: this.#setIndex(node.set), next });
      case "assertion":
        return this.step({ type: "assertion", assertion: node.assertion, next });
      case "all":
        return node.parts.reduceRight((behind, part) => this.add(part, behind), next);
      case "any":
        return node.parts
          .map((part) => this.add(part, next))
          .reduce((first, second) => this.step({ type: "either", next: first, other: second }));
      case "repeat":
        return this.#repeat(node, next);
    }
  }

  #repeat({ part, min, max }: Extract<PatternNode, { type: "repeat" }>, next: number): number {
    let first = max === Infinity ? this.#loop(part, next) : next;
    const optional = max === Infinity ? 0 : max - min;
    for (let count = 0; count < optional; count += 1) {
      first = this.step({ type: "either", next: this.add(part, first), other: next });
    }
    for (let count = 0; count < min; count += 1) first = this.add(part, first);
    return first;
  }

  #loop(part: PatternNode, next: number): number {
    const either: ProgramStep = { type: "either", next, other: next };
    const start = this.step(either);
    either.next = this.add(part, start);
    return start;
  }

  #setIndex(set: CharSet): number {
    const known = this.sets.get(set);
    if (known !== undefined) return known;
    this.sets.set(set, this.sets.size);
    return this.sets.size - 1;
  }
}
