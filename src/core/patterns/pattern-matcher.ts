/**
 * Searches a text for a pattern in time linear in the text: an automaton whose states are made when they are first reached (Cox,
 * "Regular Expression Matching Can Be Simple And Fast", 2007), behind a search for a text that each match must contain.
 */
import type { CharSet } from "./char-set.ts";
import { programOf, type PatternProgram } from "./pattern-program.ts";
import { requiredTexts, type Assertion, type PatternNode, type RequiredTexts } from "./pattern-tree.ts";

/** States that are kept; beyond it all are dropped and made again. */
const statesMax = 1_000;
/** Classes of characters beyond ASCII that are kept. */
const charactersMax = 4_096;

/** What a character is to the assertions. */
type Kind = "none" | "line-feed" | "word" | "other";

interface State {
  /** Steps that wait for the next character, sorted. */
  readonly waiting: readonly number[];
  /** Of the character before. */
  readonly before: Kind;
  /** By class of the next character. */
  readonly next: (State | undefined)[];
  /** What follows is the same as at the start of a search. */
  readonly isFresh: boolean;
}

interface CharClass {
  readonly index: number;
  readonly kind: Kind;
  /** The sets that have the character. */
  readonly sets: ReadonlySet<number>;
}

/**
 * @example
 * ```ts
 * new PatternMatcher(parsePattern("^v[0-9]+$")).test("v12"); // true
 * ```
 */
export class PatternMatcher {
  readonly #program: PatternProgram;
  readonly #required: RequiredTexts;
  readonly #seesKinds: boolean;
  /** A match begins only where the text begins. */
  readonly #isAnchored: boolean;
  readonly #classes = new Map<string, CharClass>();
  readonly #ascii: (CharClass | undefined)[] = [];
  readonly #others = new Map<number, CharClass>();
  readonly #end: CharClass = { index: 0, kind: "none", sets: new Set() };
  #states = new Map<string, State>();
  readonly #matched: State = { waiting: [], before: "none", next: [], isFresh: false };

  /** Throws a `SyntaxError` for a pattern that is too large. */
  constructor(pattern: PatternNode) {
    this.#program = programOf(pattern);
    this.#required = requiredTexts(pattern);
    this.#seesKinds = this.#program.steps.some(({ type }) => type === "assertion");
    this.#isAnchored = isAnchored(pattern);
  }

  /** True if the pattern matches anywhere in the text. */
  test(text: string): boolean {
    const { texts, isPrefix } = this.#required;
    const [first = ""] = texts;
    let end = 0;
    for (const required of texts) {
      const at = text.indexOf(required, end);
      if (at === -1) return false;
      end = at + required.length;
    }
    return isPrefix ? this.#run(text, text.indexOf(first), first) : this.#run(text, 0, "");
  }

  #run(text: string, start: number, prefix: string): boolean {
    let state = this.#state([], start === 0 ? "none" : kindOf(text.charCodeAt(start - 1)));
    let at = start;
    while (at < text.length) {
      if (state.isFresh && prefix !== "" && at > start) {
        const next = text.indexOf(prefix, at);
        if (next === -1) return false;
        if (next > at) state = this.#state([], kindOf(text.charCodeAt(next - 1)));
        at = next;
      }
      const unit = text.charCodeAt(at);
      const codePoint = unit < 0xd800 || unit > 0xdbff ? unit : (text.codePointAt(at) ?? unit);
      const found = (unit < 128 ? this.#ascii[unit] : this.#others.get(codePoint)) ?? this.#classOf(codePoint);
      state = state.next[found.index] ?? this.#step(state, found);
      if (state === this.#matched) return true;
      if (this.#isAnchored && state.waiting.length === 0) return false;
      at += codePoint > 0xffff ? 2 : 1;
    }
    return (state.next[this.#end.index] ?? this.#step(state, this.#end)) === this.#matched;
  }

  /** All that can be reached without a character, then with this one. */
  #step(state: State, found: CharClass): State {
    const { steps, start } = this.#program;
    const startsHere = !this.#isAnchored || state.before === "none";
    const reached = new Set<number>(startsHere ? [...state.waiting, start] : state.waiting);
    const waiting = new Set<number>();
    for (const index of reached) {
      const step = steps[index];
      if (step === undefined) continue;
      if (step.type === "match") return this.#keep(state, found, this.#matched);
      if (step.type === "either") reached.add(step.next).add(step.other);
      else if (step.type === "assertion") {
        if (holds(step.assertion, state.before, found.kind)) reached.add(step.next);
      } else if (found.sets.has(step.set)) waiting.add(step.next);
    }
    const next = this.#state(
      [...waiting].toSorted((left, right) => left - right),
      found.kind,
    );
    return this.#keep(state, found, next);
  }

  #keep(state: State, found: CharClass, next: State): State {
    state.next[found.index] = next;
    return next;
  }

  #state(waiting: readonly number[], before: Kind): State {
    const kind = this.#seesKinds ? before : "other";
    const key = `${kind} ${waiting.join(" ")}`;
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    if (this.#states.size >= statesMax) this.#states = new Map();
    const state: State = { waiting, before: kind, next: [], isFresh: waiting.length === 0 };
    this.#states.set(key, state);
    return state;
  }

  #classOf(codePoint: number): CharClass {
    const { sets } = this.#program;
    const members = [...sets.keys()].filter((index) => (sets[index] as CharSet)(codePoint));
    const kind = this.#seesKinds ? kindOf(codePoint) : "other";
    const key = `${kind} ${members.join(" ")}`;
    const found = this.#classes.get(key) ?? { index: this.#classes.size + 1, kind, sets: new Set(members) };
    this.#classes.set(key, found);
    if (codePoint < 128) this.#ascii[codePoint] = found;
    else {
      if (this.#others.size >= charactersMax) this.#others.clear();
      this.#others.set(codePoint, found);
    }
    return found;
  }
}

/** Words are of ASCII letters, digits and `_`. */
function kindOf(codePoint: number): Kind {
  if (codePoint === 10) return "line-feed";
  const isDigit = codePoint >= 0x30 && codePoint <= 0x39;
  const letter = codePoint | 0x20;
  return isDigit || codePoint === 0x5f || (codePoint < 128 && letter >= 0x61 && letter <= 0x7a) ? "word" : "other";
}

function holds(assertion: Assertion, before: Kind, after: Kind): boolean {
  switch (assertion) {
    case "text-start":
      return before === "none";
    case "text-end":
      return after === "none";
    case "line-start":
      return before === "none" || before === "line-feed";
    case "line-end":
      return after === "none" || after === "line-feed";
    case "word-boundary":
      return (before === "word") !== (after === "word");
    case "not-word-boundary":
      return (before === "word") === (after === "word");
  }
}

function isAnchored(node: PatternNode): boolean {
  switch (node.type) {
    case "assertion":
      return node.assertion === "text-start";
    case "all":
      return node.parts[0] !== undefined && isAnchored(node.parts[0]);
    case "any":
      return node.parts.every(isAnchored);
    case "repeat":
      return node.min > 0 && isAnchored(node.part);
    case "char":
      return false;
  }
}
