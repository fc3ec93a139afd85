/** Quote removal for the words of a shell command, as far as the result does not depend on running anything (bash manual 3.5). */
import type { CommandExpansionPart, DoubleQuotedPart, LocaleStringPart, Word, WordPart } from "unbash";
import { printedBy, soleCommand } from "./shell-inputs.ts";
import { insideBrackets, type ShellScope } from "./shell-scope.ts";

export interface ShellWord {
  /** As written. */
  readonly text: string;
  /** The word that the program gets; undefined if the shell computes it (variables, substitutions, globs, braces, `~`). */
  readonly value: string | undefined;
  /**
   * A path in the same directory as every path that the word can become: the value, or a glob with its wildcards as plain
   * characters (they never match a `/`). Undefined if unknown.
   */
  readonly path: string | undefined;
  /** A computed word that stays exactly one word: all of it is in double quotes, without `$@`. */
  readonly isOne?: true;
  /** An assignment of a list, `a=(1 2)`. */
  readonly isList?: true;
  /** What a command prints, `<(ls)`: no file of the system. */
  readonly isStream?: true;
}

/** A word about which nothing is known, such as an argument that comes through a pipe. */
export const unknownWord = (text: string): ShellWord => ({ text, value: undefined, path: undefined });

/** Empty for a word that the shell computes, and after the last one. */
export const valueAt = (words: readonly ShellWord[], at: number): string => words[at]?.value ?? "";

/** The words with the name as the records have it: without its path. */
export function withPlainName(words: readonly ShellWord[]): readonly ShellWord[] {
  const name = words[0]?.value;
  if (name?.includes("/") !== true) return words;
  return [literalWord(name.slice(name.lastIndexOf("/") + 1)), ...words.slice(1)];
}

export const literalWord = (value: string, text = value): ShellWord => ({
  text,
  value,
  path: literalPath(value, text),
});

/**
 * Can a word that the shell computes become an option? A glob that begins with a wildcard can, because a file may be named
 * `--checkpoint-action=exec=x`. Without quotes a variable can become several words.
 */
export function mayBeOption({ isOne, isStream, path, text, value }: ShellWord): boolean {
  if (value !== undefined || isStream === true) return false;
  // A number behind a letter: `-j$(nproc)`.
  if (path !== undefined) return /^[*-]/.test(path) && !(isOne === true && /^-[A-Za-z]\*$/.test(path));
  return !(isOne === true ? /^"[\w./~:@]/ : /^[\w./~][^$`]*$/).test(text);
}

/** A quoted `~` at the start is part of a file name. */
const literalPath = (value: string, text: string): string =>
  value.startsWith("~") && !text.startsWith("~") ? `./${value}` : value;

/** Bash also replaces the tilde in a word that only looks like an assignment, as in `dd of=~/x` (bash manual 3.5.2). */
const homeInAssignment = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=(?:.*:)?~/s;

/** `scope`: what the text says about its variables and programs, if that is known. */
export function resolveWord(word: Word, scope?: ShellScope): ShellWord {
  const { parts, text } = word;
  if (homeInAssignment.test(text)) return { ...unknownWord(text), isOne: true };
  if (parts === undefined && !text.startsWith("~")) return literalWord(word.value, text);
  const only = parts?.length === 1 ? parts[0] : undefined;
  if (only?.type === "ProcessSubstitution") return { ...unknownWord(text), isStream: true };
  const item = only === undefined ? undefined : itemIn(only, scope);
  if (item !== undefined)
    return { text, value: item.value, path: item.path, ...(item.value === undefined && { isOne: true }) };
  const pieces = parts === undefined ? [literal(word.value)] : parts.flatMap((part) => piecesOf(part, scope));
  if (text.startsWith("~")) return { text, value: undefined, path: isAllLiteral(pieces) ? join(pieces) : undefined };
  if (isAllLiteral(pieces)) return literalWord(join(pieces), text);
  const staysOne = isOneWord(word) || pieces.every(({ isOne, kind }) => isOne === true || kind === "literal");
  const isOne = staysOne ? ({ isOne: true } as const) : {};
  if (pieces.some((piece) => piece.kind === "unknown")) return { ...unknownWord(text), ...isOne };
  return { text, value: undefined, path: globPath(join(pieces), pieces), ...isOne };
}

const isOneWord = (word: Word): boolean =>
  word.parts?.every(
    (part) => part.type === "DoubleQuoted" && part.parts.every((child) => !/^\$(?:@|\{.*[@*])/s.test(child.text)),
  ) === true;

/** The item of a loop, if the part is nothing but `"$item"`. */
function itemIn(part: WordPart, scope: ShellScope | undefined): ShellWord | undefined {
  const [child, ...others] = part.type === "DoubleQuoted" ? part.parts : [];
  const name = child === undefined || others.length > 0 ? undefined : variableIn(child);
  return name === undefined ? undefined : scope?.itemOf(name);
}

/** The name in `$name` or `${name}`. */
const variableIn = ({ text }: WordPart): string | undefined =>
  /^\$(?:\{(\w+)\}|(\w+))$/.exec(text)?.slice(1).find(Boolean);

interface Piece {
  readonly kind: "literal" | "wildcard" | "unknown";
  readonly text: string;
  /** It never becomes more than one word, nor none. */
  readonly isOne?: true;
}

const isAllLiteral = (pieces: readonly Piece[]): boolean => pieces.every((piece) => piece.kind === "literal");
const join = (pieces: readonly Piece[]): string => pieces.map((piece) => piece.text).join("");

/** `.*` and `.[.]` can become `..` (by default before bash 5.2), so the directory is unknown. */
function globPath(shape: string, pieces: readonly Piece[]): string | undefined {
  const dotted = shape.split("/").some((segment) => segment.startsWith(".") && /[*?]/.test(segment));
  const literalWildcard = pieces.some((piece) => piece.kind === "literal" && /[*?]/.test(piece.text));
  return dotted && !literalWildcard ? undefined : shape;
}

const unknown: Piece = { kind: "unknown", text: "" };
/** A number is some text without a slash. */
const someNumber: Piece = { kind: "wildcard", text: "*", isOne: true };
const literal = (text: string): Piece => ({ kind: "literal", text });

function piecesOf(part: WordPart, scope: ShellScope | undefined): readonly Piece[] {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [literal(part.value)];
    case "DoubleQuoted":
    case "LocaleString":
      return quotedPieces(part, scope);
    case "Glob":
      return [{ kind: "wildcard", text: "*" }];
    default:
      return [scope?.setsSplitting === false ? unsplitPiece(part, scope) : unknown];
  }
}

const quotedPieces = (
  { parts }: DoubleQuotedPart | LocaleStringPart,
  scope: ShellScope | undefined,
): readonly Piece[] =>
  parts.map((part): Piece => {
    if (part.type === "Literal") return literal(part.value);
    if (scope === undefined) return unknown;
    const printed = part.type === "CommandExpansion" ? printedBy(part.script) : undefined;
    return printed === undefined ? (isNumber(part, scope) ? someNumber : itemPiece(part, scope)) : literal(printed);
  });

/** A number or a plain item without quotes: it stays one word, but a shell that splits elsewhere may make other words of it. */
function unsplitPiece(part: WordPart, scope: ShellScope): Piece {
  if (isNumber(part, scope)) return someNumber;
  const item = scope.itemOf(variableIn(part) ?? "");
  return item?.value !== undefined && /^[\w./-]+$/.test(item.value) ? { kind: "wildcard", text: item.value } : unknown;
}

/** An item in a longer word: not a path below `~`, which is a home only in the list of the loop, and no name that can be anything. */
function itemPiece(part: WordPart, scope: ShellScope): Piece {
  const item = scope.itemOf(variableIn(part) ?? "");
  if (item?.path === undefined) return unknown;
  if (item.value !== undefined) return literal(item.value);
  return /^[~*]/.test(item.path) ? unknown : { kind: "wildcard", text: item.path };
}

function isNumber(part: WordPart, scope: ShellScope): boolean {
  if (part.type === "ArithmeticExpansion") return scope.isReadable(insideBrackets(part.text));
  return part.type === "CommandExpansion" ? countsProcessors(part) : scope.isNumber(variableIn(part) ?? "");
}

const countsProcessors = ({ script }: CommandExpansionPart): boolean => {
  const command = script === undefined ? undefined : soleCommand(script);
  return command?.name?.text === "nproc" && command.suffix.length === 0 && command.prefix.length === 0;
};
