/** Help texts, generated from the records of the commands. */
import { formatColumns } from "./columns.ts";
import type { ArgumentSpec, Command, OptionSpec } from "./command.ts";
import type { CommandGroup } from "./commands.ts";

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
  if (command.aliases.length > 0) lines.push(`Also: ${command.aliases.map((name) => `lectern ${name}`).join(", ")}`);
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

function optionRows(command: Command): string[][] {
  return Object.entries(command.options)
    .filter(([, spec]) => spec.hidden !== true)
    .map(([name, spec]) => [optionWords(name, spec), optionSummary(spec)]);
}

function optionWords(name: string, spec: OptionSpec): string {
  const short = spec.short === undefined ? "    " : `-${spec.short}, `;
  if (spec.type === "choice") return `${short}--${name}[=${spec.placeholder}]`;
  return spec.type === "flag" ? `${short}--${name}` : `${short}--${name} ${spec.placeholder}`;
}

const optionSummary = (spec: OptionSpec): string =>
  spec.type === "text" && spec.choices !== undefined ? `${spec.summary}: ${spec.choices.join(", ")}` : spec.summary;

/** All commands by group, one line each; at most 80 columns wide. */
export function mainHelp(groups: readonly CommandGroup[]): string {
  const names = groups.flatMap(({ commands }) => commands.map(({ name }) => name));
  const width = Math.max(...names.map((name) => name.length));
  const sections = groups.flatMap(({ name: group, commands }) => [
    "",
    `${group.slice(0, 1).toUpperCase()}${group.slice(1)}:`,
    ...commands
      .filter(({ hidden }) => hidden !== true)
      .map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
  ]);
  return [
    "Lectern runs programs in real terminals and records all input and output, so",
    "that you can watch and type from anywhere.",
    "",
    "Usage: lectern COMMAND [options] [arguments]",
    ...sections,
    "",
    'Help for one command: "lectern COMMAND --help".',
    "",
    "Examples:",
    "  lectern run --name build -- make -j4",
    "  lectern ls",
    "  lectern attach build",
    "  lectern logs -f build",
    "",
  ].join("\n");
}
