/**
 * Splits code into pieces with a kind by rules that fit most languages: comments, strings, numbers, and keywords of any language.
 * Not a grammar: it never fails and takes linear time.
 */
export interface CodePiece {
  readonly kind: "text" | "comment" | "string" | "number" | "keyword" | "added" | "removed" | "hunk";
  readonly text: string;
}

const keywords = new Set(
  (
    "abstract and as async await begin bool boolean break case catch char class const continue def default defer del do done double echo " +
    "elif else elsif end ensure enum esac except export extends false fi final finally float fn for from func function global go if impl " +
    "implements import in include int interface is lambda let local long match mod module mut namespace new nil none None not null or " +
    "package pass private protected pub public raise readonly require return select self short static string struct super switch then " +
    "this throw throws trait true True False try type typedef undefined union unless unsafe until use using var void where while with yield"
  ).split(" "),
);

const token =
  /(?<comment>\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|(?<=^|\s)#[^\n]*|(?<=^|\s)-- [^\n]*)|(?<string>"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`?)|(?<number>\b\d[\w.]*)|(?<word>[A-Za-z_]\w*)/g;

/** Longer code is not highlighted. */
const CHARS_MAX = 100_000;

export function highlight(code: string, language: string): CodePiece[] {
  if (code.length > CHARS_MAX || /^(?:te?xt|plain)$/.test(language)) return [{ kind: "text", text: code }];
  if (language === "diff" || language === "patch") return diffPieces(code);
  const pieces: CodePiece[] = [];
  let at = 0;
  for (const match of code.matchAll(token)) {
    const kind = kindOf(match);
    if (kind === undefined) continue;
    if (match.index > at) pieces.push({ kind: "text", text: code.slice(at, match.index) });
    pieces.push({ kind, text: match[0] });
    at = match.index + match[0].length;
  }
  if (at < code.length) pieces.push({ kind: "text", text: code.slice(at) });
  return pieces;
}

function kindOf({ groups }: RegExpMatchArray): CodePiece["kind"] | undefined {
  if (groups?.["comment"] !== undefined) return "comment";
  if (groups?.["string"] !== undefined) return "string";
  if (groups?.["number"] !== undefined) return "number";
  return keywords.has(groups?.["word"] ?? "") ? "keyword" : undefined;
}

/** A diff, line by line. */
function diffPieces(text: string): CodePiece[] {
  return text.split(/(?<=\n)/).map((line) => {
    if (/^(?:@@|diff |index |--- |\+\+\+ |\*\*\* )/.test(line)) return { kind: "hunk", text: line };
    const sign = numbered.exec(line)?.[1] ?? line[0];
    if (sign === "+") return { kind: "added", text: line };
    return { kind: sign === "-" ? "removed" : "text", text: line };
  });
}

/** A numbered line that was added or removed, as agents draw it: `12 + new`. */
const numbered = /^ *\d+ ([+-])(?: |$)/;

/** Whether a text is a unified diff, a patch, or numbered lines with additions or removals. */
export function looksLikeDiff(text: string): boolean {
  if (/^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/m.test(text) || /^--- .*\n\+\+\+ /m.test(text)) return true;
  if (text.startsWith("*** Begin Patch\n")) return true;
  return new RegExp(numbered, "m").test(text) && !/^(?! *\d+(?: |$))./m.test(text.slice(text.indexOf("\n") + 1));
}
