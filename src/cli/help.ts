/** Help texts, generated from the records of the commands. */
import { aliasesOf } from "./aliases.ts";
import { formatColumns } from "./columns.ts";
import type { ArgumentSpec, Command, OptionSpec } from "./command.ts";
import type { CommandGroup, NamedGroup } from "./commands.ts";

/** `lectern logs [options] SESSION`. */
export function usageLine(command: Command): string {
  const options = Object.values(command.options).some((spec) => spec.hidden !== true) ? ["[options]"] : [];
  return ["lectern", command.name, ...options, ...command.arguments.map(argumentWord)].join(" ");
}

function argumentWord({ name, count = "one" }: ArgumentSpec): string {
  const word = name.toUpperCase();
  switch (count) {
    case "one":
      return word;
    case "optional":
      return `[${word}]`;
    case "many":
      return `${word}...`;
    case "any":
      return `[${word}...]`;
  }
}

export function commandHelp(command: Command): string {
  const lines = [`${command.summary}.`, "", `Usage: ${usageLine(command)}`];
  const others = aliasesOf(command.name).map((name) => `lectern ${name}`);
  if (others.length > 0) lines.push(`Also: ${others.join(", ")}`);
  if (command.details !== undefined) lines.push("", ...command.details);
  lines.push(
    ...section(
      "Arguments",
      command.arguments.map((spec) => [spec.name.toUpperCase(), argumentSummary(spec)]),
    ),
  );
  lines.push(...section("Options", [...optionRows(command), ["-h, --help", "Show this help"]]));
  if (command.examples.length > 0) lines.push("", "Examples:", ...command.examples.map((example) => `  ${example}`));
  return `${lines.join("\n")}\n`;
}

const argumentSummary = (spec: ArgumentSpec): string =>
  spec.choices === undefined ? spec.summary : `${spec.summary}: ${spec.choices.join(", ")}`;

function section(title: string, rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  return ["", `${title}:`, ...formatColumns(rows).map((line) => `  ${line}`)];
}

/** `[words, summary]` of each option. */
export const optionRows = (command: Command): string[][] =>
  Object.entries(command.options)
    .filter(([, spec]) => spec.hidden !== true)
    .map(([name, spec]) => [optionWords(name, spec), optionSummary(spec)]);

function optionWords(name: string, spec: OptionSpec): string {
  const short = spec.short === undefined ? "    " : `-${spec.short}, `;
  if (spec.type === "choice") return `${short}--${name}[=${spec.placeholder}]`;
  return spec.type === "flag" ? `${short}--${name}` : `${short}--${name} ${spec.placeholder}`;
}

const optionSummary = (spec: OptionSpec): string =>
  spec.type === "text" && spec.choices !== undefined ? `${spec.summary}: ${spec.choices.join(", ")}` : spec.summary;

const LINE_CHARS_MAX = 80;

/** What a newcomer needs first; each is explained where its group is. */
const firstSteps: readonly (readonly [string, string])[] = [
  ["lectern run -- bash", "start a program; ctrl-\\ leaves it running"],
  ["lectern ls", "list sessions"],
  ["lectern attach NAME", "show a session in this terminal and type into it"],
  ["lectern prompt NAME TEXT", "give an agent a prompt"],
  ["lectern approvals", "list questions that wait for a person"],
  ["lectern up", "serve the web page"],
];

const titleOf = ({ name }: NamedGroup): string => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
const visibleOf = ({ commands }: CommandGroup): readonly Command[] => commands.filter(({ hidden }) => hidden !== true);

/** Words in lines of at most so many characters. */
function wrapped(words: readonly string[], charsMax: number): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > charsMax) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** The first steps, and the names of all commands by group; at most 80 columns wide. */
export function mainHelp(groups: readonly NamedGroup[]): string {
  const width = Math.max(...groups.map((group) => titleOf(group).length));
  const names = groups.flatMap((group) => {
    const lines = wrapped(
      group.commands.map(({ name }) => name),
      LINE_CHARS_MAX - width - 5,
    );
    return lines.map((line, index) => `  ${(index === 0 ? `${titleOf(group)}:` : "").padEnd(width + 1)}  ${line}`);
  });
  return [
    "Lectern runs programs in real terminals and records all input and output, so",
    "that you can watch and type from anywhere.",
    "",
    "Usage: lectern COMMAND [options] [arguments]",
    "",
    ...formatColumns(firstSteps).map((line) => `  ${line}`),
    "",
    "Commands:",
    ...names,
    "",
    '"lectern help COMMAND" explains one, "lectern help all" lists all with their',
    "exit codes, and on a terminal lectern alone lists the sessions.",
    "",
  ].join("\n");
}

/** All commands by group, one line each, and the exit codes; at most 80 columns wide. */
export function allHelp(groups: readonly CommandGroup[]): string {
  const width = Math.max(...groups.flatMap(visibleOf).map(({ name }) => name.length));
  const sections = groups.flatMap((group) => [
    "",
    `${titleOf(group)}:`,
    ...visibleOf(group).map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
  ]);
  const codes = exitCodes.map(([code, meaning]) => `  ${code.padEnd(width)}  ${meaning}`);
  return ["Usage: lectern COMMAND [options] [arguments]", ...sections, "", "Exit codes:", ...codes, ""].join("\n");
}

/** What a script can rely on; PROTOCOL.md has the code of each error. `attach`, `run` and `exec` end with the code of the program. */
export const exitCodes: readonly (readonly [string, string])[] = [
  ["0", "Success"],
  ["1", "It failed, or what was checked is not in order"],
  ["2", "The command line or its input is wrong"],
  ["3", "The session, host, question or file was not found"],
  ["4", "Conflict: the name is taken, the session has ended or still runs"],
  ["5", "Forbidden, or permissions of files are not safe"],
  ["6", "The daemon, a host of sessions or a machine is out of reach"],
  ["7", "A limit is exceeded, or something is too large"],
  ["10", "The session asks a person a question, and waits for the answer"],
  ["11", "The agent does not use the gateway, so nothing holds its calls"],
  ["124", "Timed out, as timeout(1)"],
  ["126", "The program cannot be executed"],
  ["127", "The program is not found"],
  ["130", "Ended by Ctrl-C; 128 plus the number of any other signal"],
];
