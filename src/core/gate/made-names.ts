/**
 * Names that a text makes itself. What is below them, or behind them, is not known when the text is judged: after `ln -s .git/hooks x`
 * the file `x/pre-commit` is a hook, and after `mv link x` nobody has followed `x`.
 */
import type { ProgramEffect } from "./effects.ts";
import { isPatternUnder, isUnder, resolvePath, type PathContext } from "./paths.ts";
import type { RealPaths } from "./real-paths.ts";
import type { CallAction } from "./rules.ts";
import type { ShellAction } from "./shell-actions.ts";
import type { ShellAnalysis } from "./shell-analysis.ts";
import type { ShellWord } from "./shell-words.ts";

/**
 * What names a command makes:
 * - `links`: they lead to what its operands name
 * - `copies`: they are links if its operands are, or have links below
 * - `files`: they come from an archive or a repository, and those that were not there can be links
 */
export type MadeKind = "links" | "copies" | "files";

/** A path in a text. `isPattern`: the shell replaces each `*` in it by names of files. */
export interface PathText {
  readonly text: string;
  readonly isPattern: boolean;
}

export const wordPath = ({ path, value }: ShellWord): PathText | undefined =>
  path === undefined ? undefined : { text: path, isPattern: value === undefined && path.includes("*") };

/**
 * What an action needs of a path: `name`, and a link there is moved or replaced itself; `entries`, which it reads without following links;
 * `content`, whatever it is.
 */
export type PathUse = "name" | "entries" | "content";

/** `isFolder`: names below it are made, and it stays the folder that it is. */
type MadePath = PathText & { readonly isFolder?: boolean };

interface Maker {
  /** Index of its action. */
  readonly at: number;
  readonly kind: MadeKind;
  /** Undefined: any name. */
  readonly targets: readonly (MadePath | undefined)[];
  readonly sources: readonly (PathText | undefined)[];
}

/** Commands of one text that make names; with more, no path of the text is known. */
const MAKERS_MAX = 24;
const everywhere: Maker = { at: -1, kind: "links", targets: [{ text: "/", isPattern: false }], sources: [] };

interface Known {
  /** The folders in which the text may be. */
  readonly starts: readonly PathContext[];
  readonly real: RealPaths | null;
}

export class MadeNames {
  readonly #makers: readonly Maker[];
  readonly #known: Known;
  readonly #analysis: ShellAnalysis;
  readonly #held = new Map<string, boolean>();
  #at = 0;
  #note: string | undefined;

  private constructor(analysis: ShellAnalysis, makers: readonly Maker[], known: Known) {
    this.#known = known;
    this.#analysis = analysis;
    this.#makers = makers.filter(({ kind }) => kind === "links" || (kind === "files" && known.real !== null));
    const copies = makers.filter(({ kind }) => kind === "copies");
    // A copy of a copy of a link is one: at most as many rounds as there are copies.
    for (let found = true; found;) {
      const next = copies.filter((maker) => !this.#makers.includes(maker) && this.#copiesLinks(maker));
      this.#makers = [...this.#makers, ...next];
      found = next.length > 0;
    }
  }

  /** Null if no action makes such a name. */
  static of(analysis: ShellAnalysis | undefined, known: Known): MadeNames | null {
    const makers = analysis?.actions.flatMap((action, at) => makerOf(action, at)) ?? [];
    if (analysis === undefined || makers.length === 0) return null;
    const names = new MadeNames(analysis, makers.length > MAKERS_MAX ? [everywhere] : makers, known);
    return names.#makers.length === 0 ? null : names;
  }

  /** The action whose paths are asked about from now on. */
  enter(action: CallAction): void {
    const { actions } = this.#analysis;
    const at = actions.findIndex((each) => each === action);
    const isFirst = action.type === "redirect" && action.isFirst === true;
    this.#at = isFirst ? actions.findLastIndex(({ type }, index) => type === "command" && index < at) : at;
  }

  /** Why a path of the action is not known, for people, since the last time. */
  takeNote(): string | undefined {
    const note = this.#note;
    this.#note = undefined;
    return note;
  }

  /** May the path lead elsewhere than it does now? */
  holds(path: PathText, use: PathUse = "content"): boolean {
    // Each rule asks it again.
    const key = `${this.#at} ${use} ${path.isPattern} ${path.text}`;
    const holds = this.#held.get(key) ?? this.#isHeld(path, use);
    this.#held.set(key, holds);
    const next = this.#known.real === null ? "" : "; in a call of its own it is judged by what is there";
    if (holds) this.#note ??= `the same text makes ${path.text}, or a folder of it${next}`;
    return holds;
  }

  #isHeld(path: PathText, use: PathUse): boolean {
    return this.#makers.some(
      (each) =>
        each.at !== this.#at && (each.at < this.#at || !this.#analysis.isInOrder) && this.#isMadeBy(each, path, use),
    );
  }

  #isMadeBy({ kind, targets }: Maker, path: PathText, use: PathUse): boolean {
    const { real, starts } = this.#known;
    const whole = use === "name" ? { ...path, text: folderOf(path.text) } : path;
    return starts.some((start) => {
      if (kind === "files" && real?.isThere(whole.text, start) !== false) return false;
      return targets.some((target) =>
        target === undefined
          ? !inRepository.test(whole.text)
          : starts.some(
              (each) =>
                isBelow(whole, start, target, each) &&
                !(use === "entries" && target.isFolder === true && isSame(whole, start, target, each)),
            ),
      );
    });
  }

  #copiesLinks({ at, sources }: Maker): boolean {
    const { real, starts } = this.#known;
    return sources.some((source) => {
      if (source === undefined) return true;
      if (real !== null && !starts.every((start) => real.isWithoutLinks(source.text, start))) return true;
      return this.#makers.some((each) => each.at !== at && this.#isMadeBy(each, source, "content"));
    });
  }
}

/** git checks nothing out there. */
const inRepository = /(?:^|\/)\.git(?:\/|$)/;

function makerOf(action: ShellAction, at: number): readonly Maker[] {
  if (action.type !== "command" || action.reading?.makes === undefined) return [];
  const { effects, makes } = action.reading;
  const pathsOf = (kinds: RegExp): readonly (MadePath | undefined)[] =>
    effects
      .filter(({ kind }) => kinds.test(kind))
      .map(({ target, tree }) => {
        const path = target === null ? undefined : wordPath(target);
        return path && { ...path, isFolder: makes.kind === "files" && tree !== undefined };
      });
  const targets = makes.isAnywhere ? [undefined] : pathsOf(/^(?:write|replace)$/);
  return targets.length === 0 ? [] : [{ at, kind: makes.kind, targets, sources: pathsOf(/^(?:read|move|list)$/) }];
}

/** Is the path the target, or below it? */
function isBelow(path: PathText, start: PathContext, target: PathText, from: PathContext): boolean {
  const root = resolvePath(target.text, from);
  if (root === undefined) return true;
  const stem = target.isPattern || root.includes("*") ? root.replace(/[^/]*\*.*$/s, "") : root;
  const answer =
    path.isPattern || hasPattern(start) ? isPatternUnder(path.text, stem, start) : isUnder(path.text, stem, start);
  return answer !== "no";
}

const isSame = (path: PathText, start: PathContext, target: PathText, from: PathContext): boolean =>
  !path.isPattern && !hasPattern(start) && resolvePath(path.text, start) === resolvePath(target.text, from);

const hasPattern = ({ workingDirectory }: PathContext): boolean => workingDirectory?.includes("*") === true;

/** Of a path without a folder: the one in which it is. */
const folderOf = (text: string): string => /^(.*)\/[^/]+\/*$/s.exec(text)?.[1] ?? (text.startsWith("/") ? "/" : ".");

export function useOf({ kind, tree }: Pick<ProgramEffect, "kind" | "tree">): PathUse {
  if (/^(?:delete|move|replace)$/.test(kind)) return "name";
  return /^(?:read|list|inspect)$/.test(kind) && tree !== "follows" ? "entries" : "content";
}
