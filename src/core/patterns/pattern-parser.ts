/**
 * Parses patterns in RE2 syntax with the escapes of JavaScript. There is no lookaround and no back-reference: such patterns are refused.
 *
 * @see https://github.com/google/re2/wiki/Syntax
 */
import { parseClass, parseEscapedSet, readCharacter, type PatternText } from "./pattern-classes.ts";
import { rangesSet } from "./char-set.ts";
import type { Assertion, PatternNode } from "./pattern-tree.ts";

/** Repetitions of repetitions multiply. */
const repeatMax = 1_000;

interface Flags {
  readonly ignoresCase: boolean;
  readonly isMultiline: boolean;
  readonly dotIsAny: boolean;
}

const empty: PatternNode = { type: "all", parts: [] };

/** Throws a `SyntaxError` with the reason. */
export function parsePattern(source: string): PatternNode {
  const parser = new PatternParser(source);
  return parser.parse();
}

class PatternParser {
  readonly #text: PatternText;
  #flags: Flags = { ignoresCase: false, isMultiline: false, dotIsAny: false };
  readonly #names = new Set<string>();

  constructor(source: string) {
    this.#text = { source, at: 0 };
  }

  parse(): PatternNode {
    const node = this.#alternatives();
    if (this.#text.at < this.#text.source.length) throw new SyntaxError("unexpected )");
    return node;
  }

  #alternatives(): PatternNode {
    const flags = this.#flags;
    const parts = [this.#sequence()];
    while (this.#takes("|")) parts.push(this.#sequence());
    this.#flags = flags;
    const [first = empty] = parts;
    return parts.length === 1 ? first : { type: "any", parts };
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (this.#text.at < this.#text.source.length && !/[|)]/.test(this.#peek())) {
      const start = this.#text.at;
      const repeat = this.#repeat();
      if (repeat !== undefined) throw new SyntaxError(`missing argument to repetition operator: ${this.#from(start)}`);
      this.#atoms(parts);
      this.#repeatLast(parts);
    }
    const [first = empty] = parts;
    return parts.length === 1 ? first : { type: "all", parts };
  }

  #repeatLast(parts: PatternNode[]): void {
    const start = this.#text.at;
    const repeat = this.#repeat();
    if (repeat === undefined) return;
    const part = parts.pop();
    if (part === undefined) throw new SyntaxError(`missing argument to repetition operator: ${this.#from(start)}`);
    if (this.#repeat() !== undefined) throw new SyntaxError(`invalid nested repetition operator: ${this.#from(start)}`);
    const node: PatternNode = { type: "repeat", part, ...repeat };
    if (repeatsOf(node) > repeatMax) throw new SyntaxError(`invalid repeat count: ${this.#from(start)}`);
    parts.push(node);
  }

  /** A repetition operator with its `?`; undefined if there is none here. */
  #repeat(): { readonly min: number; readonly max: number } | undefined {
    const [operator] = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(this.#text.source.slice(this.#text.at)) ?? [];
    if (operator === undefined) return undefined;
    this.#text.at += operator.length;
    if (operator.startsWith("*")) return { min: 0, max: Infinity };
    if (operator.startsWith("+")) return { min: 1, max: Infinity };
    if (operator.startsWith("?")) return { min: 0, max: 1 };
    const [min = "", max = min] = operator.slice(1, operator.indexOf("}")).split(",");
    const counts = { min: Number(min), max: max === "" ? Infinity : Number(max) };
    const tooMany = counts.min > repeatMax || (counts.max !== Infinity && counts.max > repeatMax);
    if (tooMany || counts.max < counts.min) throw new SyntaxError(`invalid repeat count: ${operator}`);
    return counts;
  }

  #atoms(parts: PatternNode[]): void {
    const { ignoresCase, isMultiline, dotIsAny } = this.#flags;
    switch (this.#peek()) {
      case "(":
        parts.push(...this.#group());
        return;
      case "[":
        parts.push({ type: "char", set: parseClass(this.#text, ignoresCase), literal: null });
        return;
      case ".":
        this.#text.at += 1;
        parts.push({ type: "char", set: dotIsAny ? () => true : (codePoint) => codePoint !== 10, literal: null });
        return;
      case "^":
        this.#text.at += 1;
        parts.push({ type: "assertion", assertion: isMultiline ? "line-start" : "text-start" });
        return;
      case "$":
        this.#text.at += 1;
        parts.push({ type: "assertion", assertion: isMultiline ? "line-end" : "text-end" });
        return;
      case "\\":
        this.#escape(parts);
        return;
      default:
        parts.push(this.#literal(readCharacter(this.#text)));
    }
  }

  #literal(codePoint: number): PatternNode {
    const { ignoresCase } = this.#flags;
    const isHalf = codePoint >= 0xd800 && codePoint <= 0xdfff;
    const set = rangesSet([[codePoint, codePoint]], ignoresCase);
    // Half of a pair is a character of its own only if it is alone in the text, which a search for it cannot see.
    return { type: "char", set, literal: ignoresCase || isHalf ? null : String.fromCodePoint(codePoint) };
  }

  #escape(parts: PatternNode[]): void {
    const { source } = this.#text;
    const assertion = assertions[source.charAt(this.#text.at + 1)];
    if (assertion !== undefined) {
      this.#text.at += 2;
      parts.push({ type: "assertion", assertion });
    } else if (source.startsWith("\\Q", this.#text.at)) this.#quoted(parts);
    else {
      const escaped = parseEscapedSet(this.#text, this.#flags.ignoresCase);
      parts.push(typeof escaped === "number" ? this.#literal(escaped) : { type: "char", set: escaped, literal: null });
    }
  }

  /** `\Q...\E`: everything in between is itself. */
  #quoted(parts: PatternNode[]): void {
    const { source } = this.#text;
    const start = this.#text.at + 2;
    const end = source.indexOf("\\E", start);
    const text = end === -1 ? source.slice(start) : source.slice(start, end);
    this.#text.at = end === -1 ? source.length : end + 2;
    for (const character of text) parts.push(this.#literal(character.codePointAt(0) ?? 0));
  }

  #group(): readonly PatternNode[] {
    const rest = this.#text.source.slice(this.#text.at);
    const [flags, on = "", off, end] = /^\(\?([imsU]*)(-[imsU]+)?([:)])/.exec(rest) ?? [];
    if (flags !== undefined && (flags !== "(?)" || end === ":")) {
      this.#text.at += flags.length;
      const outer = this.#flags;
      this.#flags = { ...withFlags(outer, on, true), ...(off && withFlags(withFlags(outer, on, true), off, false)) };
      if (end === ")") return [];
      return [this.#groupEnd(outer)];
    }
    const [named, name = ""] = /^\(\?P?<([A-Za-z0-9_]+)>/.exec(rest) ?? [];
    if (named === undefined && rest.startsWith("(?")) {
      throw new SyntaxError(`invalid or unsupported Perl syntax: ${rest.slice(0, 4)}`);
    }
    if (named !== undefined && this.#names.has(name)) throw new SyntaxError(`duplicate capture group name: ${name}`);
    this.#names.add(name);
    this.#text.at += named?.length ?? 1;
    return [this.#groupEnd(this.#flags)];
  }

  #groupEnd(outer: Flags): PatternNode {
    const node = this.#alternatives();
    if (!this.#takes(")")) throw new SyntaxError("missing closing )");
    this.#flags = outer;
    return node;
  }

  #peek(): string {
    return this.#text.source.charAt(this.#text.at);
  }

  #takes(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#text.at += 1;
    return true;
  }

  #from(start: number): string {
    return this.#text.source.slice(start, this.#text.at);
  }
}

const assertions: Readonly<Record<string, Assertion>> = {
  A: "text-start",
  z: "text-end",
  b: "word-boundary",
  B: "not-word-boundary",
};

function withFlags(flags: Flags, letters: string, value: boolean): Flags {
  return {
    ignoresCase: letters.includes("i") ? value : flags.ignoresCase,
    isMultiline: letters.includes("m") ? value : flags.isMultiline,
    dotIsAny: letters.includes("s") ? value : flags.dotIsAny,
  };
}

/** How often the innermost part of nested repetitions is written out. */
function repeatsOf(node: PatternNode): number {
  switch (node.type) {
    case "repeat": {
      const own = Math.max(1, node.max === Infinity ? node.min : node.max);
      return own * repeatsOf(node.part);
    }
    case "all":
    case "any":
      return Math.max(1, ...node.parts.map(repeatsOf));
    case "char":
    case "assertion":
      return 1;
  }
}
