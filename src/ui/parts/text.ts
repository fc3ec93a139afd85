/** Short texts for numbers and times. */
import type { ExitStatus } from "../../client.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import type { EndCause } from "../../protocol/records.ts";

const units: readonly (readonly [number, string])[] = [
  [86_400, "d"],
  [3600, "h"],
  [60, "m"],
  [1, "s"],
];

/** `4s`, `12m`, `3h`, `2d`. */
export function shortDuration(durationMs: number): string {
  const seconds = Math.max(0, Math.floor(durationMs / 1000));
  const [size, unit] = units.find(([length]) => seconds >= length) ?? [1, "s"];
  return `${Math.floor(seconds / size)}${unit}`;
}

/** `1:04`, `1:02:03`: a time in a recording. */
export function clockTime(durationMs: number): string {
  const seconds = Math.max(0, Math.floor(durationMs / 1000));
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, "0"))).join(":");
}

/** `93 B`, `4.1 KB`, `12 MB`. */
export function byteSize(bytes: number): string {
  const names = ["B", "KB", "MB", "GB", "TB"];
  let value = bytes;
  let index = 0;
  while (value >= 1000 && index < names.length - 1) {
    value /= 1024;
    index += 1;
  }
  return `${value >= 10 || index === 0 ? Math.round(value) : value.toFixed(1)} ${names[index] ?? "B"}`;
}

export function exitWords(exit: ExitStatus): string {
  switch (exit.reason) {
    case "exited":
      return `ended${causeWords(exit.endedBy)} with code ${exit.code}`;
    case "signaled":
      return exit.endedBy === undefined
        ? `ended by ${exit.signal}`
        : `ended${causeWords(exit.endedBy)}, ${exit.signal}`;
    case "lost":
      return "was lost: its end was not observed";
  }
}

const causeWords = (cause: EndCause | undefined): string =>
  cause === undefined ? "" : cause === "request" ? " on request" : " by hand";

/** Keeps line feeds and tabs and makes characters visible that hide or reorder text, for text that a person decides about. */
export const displayLines = (text: string): string =>
  text.replaceAll(/[^\n\t]+/g, (part) => escapeForDisplay(part.replace(/\r$/, "")));

/**
 * Splits a command line at spaces, with quotes and backslashes. Variables and globs are not expanded, because there is no shell.
 * Undefined if a quote is not closed.
 */
export function splitCommandLine(line: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let index = 0; index < line.length; index += 1) {
    const character = line.charAt(index);
    if (quote === "" && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (quote === "" && /['"]/.test(character)) {
      quote = character;
      word ??= "";
    } else if (character === quote) quote = "";
    else {
      const isEscape = character === "\\" && quote !== "'" && index + 1 < line.length;
      if (isEscape) index += 1;
      word = (word ?? "") + (isEscape ? line.charAt(index) : character);
    }
  }
  if (word !== undefined) words.push(word);
  return quote === "" ? words : undefined;
}

/** The file name of the program in a command line; empty if there is none yet. */
export const programNameIn = (line: string): string => splitCommandLine(line)?.[0]?.split("/").at(-1) ?? "";
