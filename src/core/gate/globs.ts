/**
 * Glob patterns, matched without backtracking in time O(pattern * text).
 *
 * - without a `/` in the pattern: `*` is any text, `?` any one character; for names, labels and words
 * - with a `/`: the text is a path. It is normalized first (`a/../b` is `b`), `*` and `?` stop at a `/`, `**` does not,
 *   and `**` with its slash at the start or inside is any number of directories, including none
 * - `\` makes the next character literal; brackets and braces are refused: write a list of patterns
 */
import { normalizePath } from "./paths.ts";

export interface Glob {
  readonly source: string;
  readonly matches: (text: string) => boolean;
  /** Could it match an expansion of a path with wildcards (`*`: text without a slash)? */
  readonly mayMatch: (path: string) => boolean;
  /**
   * Could it match a path below the folder? `anywhere`: only because it begins with a wildcard for folders, as `**\/.ssh` does.
   * The folder is absolute and normalized.
   */
  readonly below: (folder: string) => "yes" | "anywhere" | "no";
}

/** A command that a rule names. `name`, each of `words` and, after any number of words, each of `later` match one word; `open`: any further words may follow. */
export interface CommandPattern {
  readonly source: string;
  readonly name: Glob;
  readonly words: readonly Glob[];
  readonly later: readonly Glob[];
  readonly open: boolean;
}

export type GlobResult = { readonly ok: true; readonly glob: Glob } | { readonly ok: false; readonly message: string };

type Token = { readonly type: "text"; readonly text: string } | { readonly type: "one" | "some" | "any" | "folders" };

const patternCharsMax = 1_000;
/** A longer path with wildcards counts as a possible match. */
const wildcardPathCharsMax = 500;

/** Compiles a glob; an invalid one is a value, not an exception. */
export function compileGlob(source: string): GlobResult {
  if (source.length > patternCharsMax)
    return { ok: false, message: `A glob has at most ${patternCharsMax} characters` };
  const odd = /(?<!\\)(?:\\\\)*([[\]{}])/.exec(source)?.[1];
  if (odd !== undefined) {
    return {
      ok: false,
      message: `Cannot use "${odd}" in the glob "${source}": write a list, or "\\${odd}" for the character`,
    };
  }
  if (/(?<!\\)(?:\\\\)*\\$/.test(source)) return { ok: false, message: `The glob "${source}" ends in a single "\\"` };
  const isPath = source.includes("/");
  const tokens = tokenize(isPath ? normalizeGlob(source) : source, isPath);
  const first = tokens[0];
  const prefix = first?.type === "text" ? first.text : "";
  const parts = tokens.flatMap((token) => (token.type === "text" ? [token.text] : []));
  const isLiteral = tokens.length === 1 && first?.type === "text";
  const matches = (text: string): boolean => {
    const subject = isPath ? normalizePath(text) : text;
    if (isLiteral) return subject === prefix;
    // The fast path: most texts lack a part that is written out.
    return subject.startsWith(prefix) && parts.every((part) => subject.includes(part)) && run(tokens, subject, isPath);
  };
  const mayMatch = (path: string): boolean => path.length > wildcardPathCharsMax || meets(tokens, normalizePath(path));
  const below = (folder: string): "yes" | "anywhere" | "no" => {
    const start = folder.endsWith("/") ? folder : `${folder}/`;
    if (isCut(tokens, { text: start, isPath }, false)) return "yes";
    return isCut(tokens, { text: start, isPath }, true) ? "anywhere" : "no";
  };
  return { ok: true, glob: { source, matches, mayMatch, below } };
}

/** Paths are normalized, so patterns must be too: `/a//b/` would never match otherwise. */
function normalizeGlob(source: string): string {
  const joined = source.replaceAll(/\/(?:\.?\/)+/g, "/").replace(/^(?:\.\/)+/, "");
  return joined.length > 1 ? joined.replace(/\/$/, "") : joined;
}

function tokenize(source: string, isPath: boolean): readonly Token[] {
  const tokens: Token[] = [];
  const parts = source.match(/\\[\s\S]|\*\*+\/|\*+|\?|[^\\*?]+/g) ?? [];
  for (const part of parts) {
    if (part.startsWith("*")) {
      const type = wildcardOf(part, tokens, isPath);
      tokens.push({ type });
      if (part.endsWith("/") && type !== "folders") pushText(tokens, "/");
    } else if (part === "?") tokens.push({ type: "one" });
    else pushText(tokens, part.startsWith("\\") ? part.slice(1) : part);
  }
  return tokens;
}

function wildcardOf(part: string, before: readonly Token[], isPath: boolean): "some" | "any" | "folders" {
  if (!isPath || part === "**") return "any";
  if (part === "*") return "some";
  const last = before.at(-1);
  const atFolder = last === undefined || last.type === "folders" || (last.type === "text" && last.text.endsWith("/"));
  return part.endsWith("/") && atFolder ? "folders" : "any";
}

function pushText(tokens: Token[], text: string): void {
  const last = tokens.at(-1);
  if (last?.type === "text") tokens[tokens.length - 1] = { type: "text", text: last.text + text };
  else tokens.push({ type: "text", text });
}

/** Tracks all positions in the text that the tokens so far can reach. */
function run(tokens: readonly Token[], text: string, isPath: boolean): boolean {
  let reached = new Uint8Array(text.length + 1);
  reached[0] = 1;
  for (const token of tokens) reached = step(token, { text, isPath, reached });
  return reached[text.length] === 1;
}

/**
 * Is the text the beginning of one that the tokens match? `byStart`: the wildcard that the glob begins with may stand for all of it;
 * otherwise a later token has to match the end of the text.
 */
function isCut(tokens: readonly Token[], { isPath, text }: Omit<Walk, "reached">, byStart: boolean): boolean {
  let reached = new Uint8Array(text.length + 1);
  reached[0] = 1;
  for (const [at, token] of tokens.entries()) {
    if (token.type === "text" && endsInside(token.text, text, reached)) return true;
    reached = step(token, { text, isPath, reached });
    const isStart = at === 0 && (token.type === "any" || token.type === "folders");
    if (isStart && !byStart) reached[text.length] = 0;
    if (reached[text.length] === 1 && (at < tokens.length - 1 || token.type !== "text")) return true;
  }
  return false;
}

/** From a reached place the text ends before the token does. */
function endsInside(token: string, text: string, reached: Uint8Array): boolean {
  for (let at = Math.max(0, text.length - token.length + 1); at < text.length; at += 1)
    if (reached[at] === 1 && token.startsWith(text.slice(at))) return true;
  return false;
}

interface Walk {
  readonly text: string;
  readonly isPath: boolean;
  readonly reached: Uint8Array<ArrayBuffer>;
}

function step(token: Token, walk: Walk): Uint8Array<ArrayBuffer> {
  const { text, reached } = walk;
  const next = new Uint8Array(text.length + 1);
  let open = false;
  for (let at = 0; at <= text.length; at += 1) {
    const here = reached[at] === 1;
    if (token.type === "text") {
      if (here && text.startsWith(token.text, at)) next[at + token.text.length] = 1;
    } else if (token.type === "one") {
      if (here && at < text.length && !(walk.isPath && text[at] === "/")) next[at + 1] = 1;
    } else {
      if (token.type === "some" && at > 0 && text[at - 1] === "/") open = false;
      open ||= here;
      if (here || (open && (token.type !== "folders" || text[at - 1] === "/"))) next[at] = 1;
    }
  }
  return next;
}

/** Is there a text that the tokens and the path with wildcards both match? A `*` at the start of a name never stands for a dot. */
function meets(tokens: readonly Token[], path: string): boolean {
  const units = tokens.flatMap((token) => (token.type === "text" ? [...token.text] : [token.type]));
  const width = path.length + 1;
  const seen = new Set<number>();
  const waiting = [0];
  for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
    if (seen.has(state)) continue;
    seen.add(state);
    const at = Math.floor(state / width);
    const place = state % width;
    const unit = units[at];
    const letter = path[place];
    if (unit === undefined && letter === undefined) return true;
    const isWide = unit === "some" || unit === "any" || unit === "folders";
    if (isWide && (unit !== "folders" || place === 0 || path[place - 1] === "/")) waiting.push(state + width);
    if (letter === "*") waiting.push(state + 1);
    if (unit === undefined || letter === undefined) continue;
    if (isWide) {
      if (letter !== "/" || unit !== "some") waiting.push(state + 1);
    } else if (letter === "*") {
      const hides = unit === "." && path[place - 1] === "/" && /^(?:\/|folders)?$/.test(units[at - 1] ?? "");
      if (unit !== "/" && !hides) waiting.push(state + width);
    } else if (unit === letter || (unit === "one" && letter !== "/")) waiting.push(state + width + 1);
  }
  return false;
}
