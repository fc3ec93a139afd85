/**
 * Help, operation summaries, MCP tools, error messages, documents, the docstrings of public names and the comments of the client and the
 * protocol are in plain technical English: none of these phrases is in them.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { groupNames, loadAll, loadGroups } from "../src/cli/commands.ts";
import { allHelp, commandHelp, mainHelp } from "../src/cli/help.ts";
import { operationNames, operations } from "../src/protocol/operations.ts";
import { toolsFor } from "../src/server/mcp/mcp-server.ts";
import { docstringOf, publicNames } from "./public-names.ts";

const root = resolve(import.meta.dirname, "..");

/** Each phrase with what to write instead. */
const forbidden: readonly (readonly [RegExp, string])[] = [
  [/\b(?<!there )(?:is|are|was|were) (?:no|none)\b(?! longer)/, "is not a ..., there is no ..."],
  [/\bof now\b/, "current"],
  [/\b(?:for )?so long\b/, "for this time"],
  [/\btime is over\b|\bdid not get there\b/, "timed out"],
  [/\bdaemon (?:ends|goes|went)\b/, "the daemon is shutting down, stopped"],
  [/\bgo(?:es)? on\b/, "continue, keep running, follow"],
  [/\bstands?\b(?! for)/, "is"],
  [/\bowes?\b|\bseats?\b/, "the technical term"],
  [/\btells?\b|\btold\b/, "show, report"],
  [/\bwhat says so\b|\bwhat (?:became|comes|came) of\b/, "the evidence, its progress, the result"],
  [/\blooks?\b(?! at)/, "view, check, search; a probe"],
  [/\bword of\b/, "signal"],
  [/\bsays? (?:so|no more)\b/, "report"],
  [/\bmade again\b|\bread again\b(?! with)/, "rebuild"],
  [/\bthe whole of\b/, "all of, the full ..."],
  [/\bwas cut\b/, "was truncated"],
  [/(?:^|[,;:.] )where (?:no|none|nothing|nobody|it|there)\b/i, "if"],
  [/\bmeanwhile\b/, "in between, since"],
  [/\bruns already\b/, "is running"],
  [/\bin two ways\b/, "in several formats"],
  [/\blet in\b|\btake(?:n|s)? back\b/, "log in, cancel"],
];

/** Messages that wait for the next change of their files. */
const allowed: ReadonlySet<string> = new Set(["The wait was cancelled; the program goes on"]);

const phraseIn = (text: string): string | undefined => {
  for (const [pattern, instead] of forbidden) {
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) return `"${found}" (write: ${instead}) in: ${text}`;
  }
  return undefined;
};

const problems = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => (allowed.has(text) ? [] : (phraseIn(text) ?? [])));

test("the help of each command is in plain words", async () => {
  const texts = [mainHelp(groupNames()), allHelp(await loadGroups()), ...(await loadAll()).map(commandHelp)];
  assert.deepEqual(problems(texts.flatMap((text) => text.split("\n"))), []);
});

test("the summaries of operations and the descriptions of MCP tools are in plain words", () => {
  const tools = toolsFor({ scope: "admin", session: null });
  const texts = [
    ...operationNames.map((name) => operations[name].summary),
    ...tools.flatMap(({ title, description }) => [title, description]),
  ];
  assert.deepEqual(problems(texts), []);
});

test("error messages are in plain words", () => {
  const files = globSync("src/**/*.{ts,tsx}", { cwd: root }).filter((file) => !file.includes(".test."));
  const found = files.flatMap((file) =>
    problems(errorTexts(readFileSync(join(root, file), "utf8"))).map((problem) => `${file}: ${problem}`),
  );
  assert.deepEqual(found, []);
});

test("the documents are in plain words", () => {
  const found = globSync("{README.md,PROTOCOL.md,docs/*.md}", { cwd: root }).flatMap((file) =>
    problems(proseOf(readFileSync(join(root, file), "utf8"))).map((problem) => `${file}: ${problem}`),
  );
  assert.deepEqual(found, []);
});

test("nothing lets a person run what a registry has under our name: it is not there yet", () => {
  const bare =
    /\b(?:npx|bunx|uvx|(?:npm|pnpm|yarn) (?:i|install|add|dlx|exec)|pipx? install)(?: -{1,2}[\w-]+)* lectern(?![\w-])/;
  assert.match("npm install -g lectern", bare);
  const texts = globSync("{*.md,{docs,clients,skills,examples}/**/*.{md,ts,py},src/**/*.{ts,tsx}}", { cwd: root });
  // The gate names what an agent may try.
  const isAboutOthers = /\.test\.|^CHANGELOG|^docs\/policy\.md$|core\/gate\//;
  const found = texts.filter((file) => !isAboutOthers.test(file) && bare.test(readFileSync(join(root, file), "utf8")));
  assert.ok(texts.length > 500);
  assert.deepEqual(found, []);
});

test("the docstrings of public names are in plain words", () => {
  const found = publicNames.flatMap((name) =>
    problems(proseOf(docstringOf(name) ?? "")).map((problem) => `${name.file}: ${problem}`),
  );
  assert.deepEqual(found, []);
});

test("the comments of the client and the protocol are in plain words", () => {
  const found = globSync("{src/*.ts,src/{client,protocol}/**/*.ts}", { cwd: root })
    .filter((file) => !file.includes(".test."))
    .flatMap((file) =>
      problems(proseOf(commentsOf(readFileSync(join(root, file), "utf8")))).map((problem) => `${file}: ${problem}`),
    );
  assert.deepEqual(found, []);
});

const commentsOf = (source: string): string =>
  [...source.matchAll(/\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm)].map(([comment]) => comment).join("\n");

/** The lines of a text in Markdown without its examples and code. */
function proseOf(markdown: string): string[] {
  return markdown
    .replaceAll(/^[ *]*```[\s\S]*?^[ *]*```$/gm, "")
    .replaceAll(/^ {4}.*$/gm, "")
    .replaceAll(/`[^`]*`/g, "x")
    .split("\n");
}

/** The texts in the arguments of each error and note that a file makes. */
function errorTexts(source: string): string[] {
  const starts = [...source.matchAll(/\b(?:LecternError|RequestProblem|note)\(/g)].map(
    ({ index, 0: { length } }) => index + length,
  );
  return starts.flatMap((start) => stringsUntilClose(source, start));
}

/** The string literals from a position up to the bracket that closes the one before it. */
function stringsUntilClose(source: string, start: number): string[] {
  const texts: string[] = [];
  const token = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|\/\/.*|[()]/g;
  token.lastIndex = start;
  let depth = 1;
  for (let match = token.exec(source); match !== null && depth > 0; match = token.exec(source)) {
    const [text] = match;
    if (text === "(") depth += 1;
    else if (text === ")") depth -= 1;
    else if (!text.startsWith("//")) texts.push(text.slice(1, -1));
  }
  return texts;
}
