/** The options of a program as the program itself lists them: of `--help`, or of git for each of its subcommands. */
import { spawnSync } from "node:child_process";

export interface ListedOption {
  /** `-o` or `--output`. */
  readonly name: string;
  /** What its value is called, `FILE`; undefined: it takes none. */
  readonly value: string | undefined;
  /** The value is glued on or behind `=`, if there is one. */
  readonly isOptional: boolean;
}

const outputOf = (words: readonly string[]): string => {
  const [program = "", ...rest] = words;
  const done = spawnSync(program, rest, { encoding: "utf8", env: { PATH: process.env["PATH"], LC_ALL: "C" } });
  return `${done.stdout ?? ""}\n${done.stderr ?? ""}`;
};

/** Lists nothing for a program that is not installed. */
export function listedOptions(words: readonly string[]): readonly ListedOption[] {
  return words[0] === "git" ? gitOptions(words) : helpOptions(outputOf([...words, "--help"]));
}

const helpLine = /^ {1,10}(-.*?)(?: {2,}|\t|$)/;
const helpOption = /(?:^|[,\s|])(--?[A-Za-z0-9][\w-]*)(\[?)(?:[= ]<?([A-Za-z][\w-]*)>?)?/g;

function helpOptions(help: string): readonly ListedOption[] {
  return help.split("\n").flatMap((line) => {
    const listed = helpLine.exec(line)?.[1];
    const found = [...(listed ?? "").matchAll(helpOption)].map(([, name = "", bracket, value]) => ({
      name,
      value,
      isOptional: bracket === "[",
    }));
    // `-o, --output=FILE`: the value is that of both.
    const shared = found.find(({ value }) => value !== undefined);
    return found.map((option) => ({
      ...option,
      value: option.value ?? shared?.value,
      isOptional: option.isOptional || shared?.isOptional === true,
    }));
  });
}

function gitOptions(words: readonly string[]): readonly ListedOption[] {
  return outputOf([...words, "--git-completion-helper-all"])
    .split(/\s+/)
    .filter((word) => /^--\w/.test(word))
    .map((word) => ({
      name: word.replace(/=$/, ""),
      value: word.endsWith("=") ? word.slice(2, -1).toUpperCase() : undefined,
      isOptional: false,
    }));
}
