/** Which facts of other sources were folded, so that a repeated mark changes nothing, for example one of a host that ignores keys. */
import { forgetOldest } from "../forget-oldest.ts";
import type { SourceFact } from "../records.ts";

/** The oldest is forgotten. A current host appends none of its last 10,000 facts twice. */
const SEEN_MAX = 1000;

export class SeenFacts {
  readonly #keys: Set<string>;

  constructor(keys: readonly string[] = []) {
    this.#keys = new Set(keys);
  }

  /** True at the first time, and always for a fact without an id. */
  take(fact: SourceFact): boolean {
    if (fact.id === "") return true;
    const key = keyOfFact(fact);
    if (this.#keys.has(key)) return false;
    forgetOldest(this.#keys.add(key), SEEN_MAX);
    return true;
  }

  save(): readonly string[] {
    return [...this.#keys];
  }
}

/** Unique in a session. */
export const keyOfFact = ({ source, id }: Pick<SourceFact, "source" | "id">): string => JSON.stringify([source, id]);
