/** Writes the man page, from the records that also make the help: `node scripts/write-man.ts`, a step of `npm run build`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { loadGroups } from "../src/cli/commands.ts";
import { exitCodes, optionRows, usageLine } from "../src/cli/help.ts";
import { packageVersion } from "../src/daemon/version.ts";
import type { Command } from "../src/cli/command.ts";

/** A line of text: nothing in it is a request or an escape of roff. */
const plain = (text: string): string =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^(?=[.'])/, "\\&");
const bold = (text: string): string => `\\fB${plain(text)}\\fR`;
const tagged = (term: string, text: string): string[] => [".TP", bold(term), plain(text)];
const literal = (lines: readonly string[]): string[] => [
  ".PP",
  ".nf",
  ...lines.map((line) => `    ${plain(line)}`),
  ".fi",
];

/** Of a list of words with what they mean. */
const isRow = (line: string | undefined): boolean => line !== undefined && / {2,}\S/.test(line);

/** Text is filled; a list keeps its lines. */
function detailLines(details: readonly string[]): string[] {
  const lines = details.map((line) => line.trim()).filter((line) => line !== "");
  return lines.flatMap((line, index) => {
    const before = lines[index - 1];
    const turns = before !== undefined && isRow(before) !== isRow(line) ? [".PP"] : [];
    const begins = isRow(line) && !isRow(before) ? [".nf"] : [];
    const ends = isRow(line) && !isRow(lines[index + 1]) ? [".fi"] : [];
    return [...turns, ...begins, plain(line), ...ends];
  });
}

function commandPart(command: Command): string[] {
  const { details = [] } = command;
  return [
    `.SS ${usageLine(command).replaceAll("-", "\\-")}`,
    plain(`${command.summary}.`),
    ...(details.length === 0 ? [] : [".PP", ...detailLines(details)]),
    ...optionRows(command).flatMap(([term = "", text = ""]) => tagged(term.trim(), text)),
    ...literal(command.examples),
  ];
}

/** The page in man(7). */
export async function manPage(): Promise<string> {
  const groups = await loadGroups();
  return [
    `.TH LECTERN 1 "${new Date().toISOString().slice(0, 10)}" "Lectern ${packageVersion()}" "User Commands"`,
    ".SH NAME",
    "lectern \\- run programs in real terminals, recorded, to watch and type from anywhere",
    ".SH SYNOPSIS",
    `${bold("lectern")} COMMAND [options] [arguments]`,
    ".SH DESCRIPTION",
    "Lectern runs any program in a real terminal (a coding agent, a shell, a REPL, a build), records everything that crosses the terminal,",
    "and reports what the program does. Detach, and the program keeps running. Without a command, it lists the sessions.",
    ...groups.flatMap(({ name, commands }) => [
      `.SH ${name.toUpperCase()}`,
      ...commands.filter(({ hidden }) => hidden !== true).flatMap(commandPart),
    ]),
    ".SH EXIT STATUS",
    ...exitCodes.flatMap(([code, meaning]) => tagged(code, meaning)),
    ".SH ENVIRONMENT",
    ...tagged("LECTERN_HOME", "Directory of all files; default: $XDG_DATA_HOME/lectern, ~/.local/share/lectern"),
    ...tagged("NO_COLOR", "If set, no colours"),
    "",
  ].join("\n");
}

if (import.meta.main) {
  const target = join(import.meta.dirname, "../dist/man/lectern.1");
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, await manPage());
}
