/** Generates texts from the records of programs: each option of each record, with operands that suit the program. */
import { globSync, readFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { existsSync } from "node:fs";
import { parse } from "yaml";
import type { Program, ProgramEntry, ProgramOption, Role } from "../../src/core/gate/program-entry.ts";
import { programData } from "../../src/core/gate/programs-data.ts";
import { programNamed } from "../../src/core/gate/programs.ts";
import { Random } from "../simulation/random.ts";
import { fillPaths, isEndless, operandsOf, valueNamed } from "./generated-commands.ts";

/** A program, or a subcommand of one, with what its texts are made of. */
export interface RecordSource {
  readonly words: string;
  readonly operands: readonly string[];
  /** As they are written in a text, with their values. */
  readonly options: readonly RecordOption[];
}

interface RecordOption {
  /** All its names: one of them in a text that runs through is enough. */
  readonly names: readonly string[];
  readonly written: readonly string[];
}

/** `test` of the records: values with which options run through. It is not in the data of the product. */
type Samples = Readonly<Record<string, string | number>>;

const recordFiles = globSync("*.yaml", { cwd: resolve(import.meta.dirname, "../../src/core/gate/programs") });

function samplesOf(): ReadonlyMap<string, Samples> {
  const found = new Map<string, Samples>();
  const collect = (words: string, entry: ProgramEntry & { readonly test?: Samples }): void => {
    if (entry.test !== undefined) found.set(words, entry.test);
    for (const [names, sub] of Object.entries(entry.sub ?? {}))
      for (const name of names.split(" ")) collect(`${words} ${name}`, sub);
  };
  for (const file of recordFiles) {
    const path = resolve(import.meta.dirname, "../../src/core/gate/programs", file);
    for (const [names, entry] of Object.entries(parse(readFileSync(path, "utf8")) as Record<string, ProgramEntry>))
      for (const name of names.split(" ")) collect(name, entry);
  }
  return found;
}

const isInstalled = (name: string): boolean =>
  (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, name)));

/** Each record that this machine can execute and that says what it does: code is for a sandbox. */
export function recordSources(): readonly RecordSource[] {
  const samples = samplesOf();
  const seen = new Set<Program>();
  const found: RecordSource[] = [];
  const visit = (words: string, program: Program): void => {
    if (seen.has(program)) return;
    seen.add(program);
    for (const [name, sub] of program.sub ?? []) visit(`${words} ${name}`, sub);
    const isCode = program.does.some(({ kind }) => kind === "code" || kind === "network" || kind === "run");
    if (program.sub !== undefined || !program.hasRoles || isCode || isEndless(words)) return;
    found.push({
      words,
      operands: operandsOf(words) ?? [program.roles.map(sampleOf).join(" ")],
      options: optionsOf(program, samples.get(words) ?? {}).filter(
        ({ names }) => !names.some((name) => isEndless(words, name)),
      ),
    });
  };
  for (const name of Object.keys(programData).flatMap((names) => names.split(" "))) {
    const program = isInstalled(name) ? programNamed(name) : undefined;
    if (program !== undefined) visit(name, program);
  }
  return found;
}

function sampleOf({ isTree, kind, name }: Role): string {
  if (name === "command") return "cat F";
  if (name === "target") return "N";
  if (name === "pattern" || name === "data") return "a";
  if (kind === "write" || kind === "replace") return "N";
  return isTree ? "D" : "F";
}

const optionsOf = (program: Program, samples: Samples): readonly RecordOption[] =>
  [...new Set(program.options.values())].map((option) => ({
    names: option.names,
    written: option.names.flatMap((name) => writtenWays(name, option, samples)),
  }));

/** Sections whose values are paths. */
const pathSections: Readonly<Record<string, string>> = {
  read: "F",
  inspect: "F",
  names: "F",
  write: "N",
  replace: "N",
  target: "D",
  "file-target": "N",
  folder: "D",
  scratch: "D",
  run: "cat",
  code: "F",
  exec: "cat {} ';'",
};

function writtenWays(name: string, option: ProgramOption, samples: Samples): readonly string[] {
  if (option.value === "none") return [name];
  const sample = option.names.map((each) => samples[each]).find((each) => each !== undefined);
  const value =
    sample === undefined ? (pathSections[option.section] ?? valueNamed(option.names.at(-1) ?? name)) : String(sample);
  const glued = name.startsWith("--") ? `${name}=${value}` : `${name}${value}`;
  return option.value === "glued" ? [name, glued] : [glued, `${name} ${value}`];
}

/** So many texts from a seed: first each option alone, in its ways to be written, then several together. */
export function recordTexts(sources: readonly RecordSource[], count: number, seed: number): readonly string[] {
  const random = new Random(seed);
  const alone = sources.flatMap(({ options, operands, words }) => [
    ...operands.map((operand) => `${words} ${operand}`),
    ...options.flatMap(({ written }) => written.map((option) => `${words} ${option} ${random.pick(operands)}`)),
  ]);
  const several = (): string => {
    const { options, operands, words } = random.pick(sources);
    const chosen = Array.from({ length: random.int(0, 3) }, () =>
      options.length === 0 ? "" : random.pick(random.pick(options).written),
    );
    const parts = [...chosen, random.pick(operands)].filter((part) => part !== "");
    if (random.chance(0.15)) parts.reverse();
    return `${words} ${parts.join(" ")}${random.chance(0.1) ? " >N" : ""}`;
  };
  // Where there is no time for all, each has the same chance.
  const first = count < alone.length * 2 ? alone.filter(() => random.chance(count / alone.length / 2)) : alone;
  const texts = [...first, ...Array.from({ length: Math.max(0, count - first.length) }, several)];
  return [...new Set(texts.map((text) => fillPaths(text, random)))];
}
