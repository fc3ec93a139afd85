/** Quote removal for the words of a shell command, as far as the result does not depend on running anything (bash manual 3.5). */
import type { Word, WordPart } from "unbash";

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
}

/** A word about which nothing is known, such as an argument that comes through a pipe. */
export const unknownWord = (text: string): ShellWord => ({ text, value: undefined, path: undefined });

export const literalWord = (value: string, text = value): ShellWord => ({
  text,
  value,
  path: literalPath(value, text),
});

/** A quoted `~` at the start is part of a file name. */
const literalPath = (value: string, text: string): string =>
  value.startsWith("~") && !text.startsWith("~") ? `./${value}` : value;

export function resolveWord(word: Word): ShellWord {
  const { parts, text } = word;
  if (parts === undefined && !text.startsWith("~")) return literalWord(word.value, text);
  const pieces = parts === undefined ? [{ kind: "literal" as const, text: word.value }] : parts.map(pieceOf);
  if (text.startsWith("~")) return { text, value: undefined, path: isAllLiteral(pieces) ? join(pieces) : undefined };
  if (isAllLiteral(pieces)) return literalWord(join(pieces), text);
  if (pieces.some((piece) => piece.kind === "unknown"))
    return isOneWord(word) ? { ...unknownWord(text), isOne: true } : unknownWord(text);
  return { text, value: undefined, path: globPath(join(pieces), pieces) };
}

const isOneWord = (word: Word): boolean =>
  word.parts?.every(
    (part) => part.type === "DoubleQuoted" && part.parts.every((child) => !/^\$(?:@|\{.*[@*])/s.test(child.text)),
  ) === true;

interface Piece {
  readonly kind: "literal" | "wildcard" | "unknown";
  readonly text: string;
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

function pieceOf(part: WordPart): Piece {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return { kind: "literal", text: part.value };
    case "DoubleQuoted":
    case "LocaleString":
      return part.parts.every((child) => child.type === "Literal")
        ? { kind: "literal", text: part.parts.map((child) => (child.type === "Literal" ? child.value : "")).join("") }
        : unknown;
    case "Glob":
      return { kind: "wildcard", text: "*" };
    default:
      return unknown;
  }
}
