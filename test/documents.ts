/** The examples of the documents: files, command lines with what they print, and programs. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const root = resolve(import.meta.dirname, "..");

export interface Block {
  /** `yaml`, `console`, `ts`, ... */
  readonly language: string;
  /** What stands behind the language: the name of a file. */
  readonly name: string;
  readonly text: string;
}

/** The fenced blocks of a document, in order. */
export function blocksOf(document: string): Block[] {
  const text = readFileSync(join(root, document), "utf8");
  return [...text.matchAll(/^```(\w+)(?: ([^\n]+))?\n([\s\S]*?)^```$/gm)].map(
    ([, language = "", name = "", block = ""]) => ({ language, name, text: block }),
  );
}

/** A command line behind `$ `, and what it prints; `[exit code N]` where it does not end well. */
export interface Step {
  readonly words: readonly string[];
  readonly printed: string;
}

export function stepsOf(block: Block): Step[] {
  return block.text
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const [line = "", ...rest] = step.trimEnd().split("\n");
      return { words: wordsOf(line), printed: rest.join("\n") };
    });
}

/** Quotes are those of a shell without anything special in them. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|'([^']*)'|[^\s"']+/g)].map(([word, double, single]) => double ?? single ?? word);
