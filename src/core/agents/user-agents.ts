/** The agents that are known with users' own files: the built-in ones, changed by them, and new ones. */
import type { Agent } from "./agent.ts";
import type { AgentFile } from "./agent-file.ts";
import { builtInAgents, builtInFiles } from "./built-in-agents.ts";
import { compileAgent } from "./compile.ts";
import { nativePattern, type CompilePattern, type Pattern, type PatternMatch } from "./pattern.ts";
import { AgentRegistry } from "./registry.ts";
import { resolveFiles } from "./resolve.ts";
import { compileRe2 } from "../patterns/re2.ts";

/** Texts of the built-in files, each of which is known to end as a pattern. */
let known: ReadonlySet<string> | undefined;

/** A pattern of the built-in files runs on the native engine, any other on the one that always ends. Throws for one that is not valid. */
export const userPattern: CompilePattern = (source) => {
  known ??= new Set(builtInFiles.flatMap(textsIn));
  return known.has(source) ? nativePattern(source) : linearPattern(source);
};

function textsIn(data: unknown): string[] {
  if (typeof data === "string") return [data];
  return typeof data === "object" && data !== null ? Object.values(data).flatMap(textsIn) : [];
}

/** The built-in agents with the given files, which change them or add to them. The files must be valid: see `readAgentFiles`. */
export function registryWith(files: readonly AgentFile[]): AgentRegistry {
  if (files.length === 0) return builtInAgents;
  return new AgentRegistry(resolveFiles(builtInFiles, files).map((file) => builtIn(file) ?? compiled(file)));
}

const compiled = (file: AgentFile): Agent =>
  compileAgent(file, { compile: userPattern, isChanged: builtInAgents.named(file.name) !== undefined });

/** What no file changed is not compiled again. */
function builtIn(file: AgentFile): Agent | undefined {
  const agent = builtInAgents.named(file.name);
  return agent?.file === file ? agent : undefined;
}

/** Only the beginning of a text is matched: rows are shorter, and so are the few places of several rows. */
const textCharsMax = 16_384;
/** What `\s` means to the native engine; RE2 knows only the blanks of ASCII. */
const blanks = String.raw`\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`;

/** What `\S` means to it: a class cannot hold a negated one, so these are the ranges between the blanks. */
const others = String.raw`\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`;

/**
 * A pattern of a user's own file: whatever it is, the time of a match is linear in the text. Throws an `Error` with the reason if it is not
 * valid RE2.
 */
export function linearPattern(source: string): Pattern {
  const re2 = compileRe2(source, withBlanks(source));
  return {
    source,
    test: (text) => re2.test(text.slice(0, textCharsMax)),
    exec: (text) => {
      const matcher = re2.matcher(text.slice(0, textCharsMax));
      if (!matcher.find()) return null;
      const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, group) => matcher.group(group) ?? undefined);
      return { ...groups, 0: groups[0] ?? "", index: matcher.start() } satisfies PatternMatch;
    },
  };
}

/** `\s` and `\S` as the native engine has them, inside of a class and outside. */
function withBlanks(source: string): string {
  let isInClass = false;
  return source.replaceAll(/\\[^]|[[\]]/g, (piece) => {
    if (piece === "[") isInClass = true;
    else if (piece === "]") isInClass = false;
    else if (piece === String.raw`\s`) return isInClass ? blanks : `[${blanks}]`;
    else if (piece === String.raw`\S`) return isInClass ? others : `[${others}]`;
    return piece;
  });
}
