/** The command line of `npm test`, and the jobs that it selects. */
import { statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative, resolve, sep } from "node:path";
import { parseArgs } from "node:util";
import { root, stagesOf, type Job, type Stage } from "./jobs.ts";

export const HELP = `Usage: npm test -- [options] [FILE...]

Runs the stages of the test suite, several files at a time. FILE is a test file or a folder of them.

  --only STAGE,...   these stages, with those whose results they use
  --shard K/N        one of N parts of about the same size
  --slots N          processes at a time; by default three for each core
  --stall            stops a random process for a second at random moments
  --seed N           of the random moments
  --list             show the stages and end
  --long             the full searches instead of the suite (npm run test:long)

Exit codes: 0 passed, 1 failed, 2 wrong arguments, 3 passed but something was not run because the machine lacks a program, 130 interrupted.
With CI=true a missing program is a failure.
`;

export interface Selection {
  readonly stages: readonly Stage[];
  readonly slots: number;
  readonly isStalling: boolean;
  readonly seed: number;
  readonly isList: boolean;
  readonly isHelp: boolean;
}

export class WrongArguments extends Error {}

const options = {
  only: { type: "string", multiple: true },
  shard: { type: "string" },
  slots: { type: "string" },
  stall: { type: "boolean", default: false },
  seed: { type: "string" },
  list: { type: "boolean", default: false },
  long: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** Throws `WrongArguments` with a message for the person. */
export function select(words: readonly string[]): Selection {
  const { positionals, values } = parse(words);
  const all = stagesOf({ isLong: values.long });
  let stages =
    values.only === undefined
      ? all
      : withNeeded(
          values.only.flatMap((names) => names.split(",").map((name) => name.trim())),
          all,
        );
  if (positionals.length > 0) stages = withFiles(positionals, stages, all);
  if (values.shard !== undefined) stages = shardOf(values.shard, stages);
  return {
    stages,
    slots: whole("--slots", values.slots ?? String(3 * availableParallelism())),
    isStalling: values.stall,
    seed: values.seed === undefined ? Date.now() % 1_000_000 : whole("--seed", values.seed),
    isList: values.list,
    isHelp: values.help,
  };
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true });
  } catch (error) {
    throw new WrongArguments(error instanceof Error ? error.message : String(error));
  }
}

function whole(name: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new WrongArguments(`${name} takes a number from 1 on, not "${text}"`);
  return Number(text);
}

function withNeeded(names: readonly string[], all: readonly Stage[]): Stage[] {
  const unknown = names.find((name) => !all.some((stage) => stage.name === name));
  if (unknown !== undefined)
    throw new WrongArguments(`There is no stage "${unknown}": ${all.map(({ name }) => name).join(", ")}`);
  const wanted = new Set(names);
  // A set that grows while it is read: a stage that is needed may need another one.
  for (const name of wanted) {
    for (const needed of all.find((stage) => stage.name === name)?.after ?? []) wanted.add(needed);
  }
  return all.filter(({ name }) => wanted.has(name));
}

function withFiles(paths: readonly string[], stages: readonly Stage[], all: readonly Stage[]): Stage[] {
  const wanted = paths.map((path) =>
    relative(root, resolve(process.env["INIT_CWD"] ?? "", path))
      .split(sep)
      .join("/"),
  );
  const matches = (file: string, path: string): boolean => file === path || file.startsWith(`${path}/`);
  const files = stages.flatMap(({ jobs }) => jobs.flatMap((job) => job.files));
  const missing = paths.find((_, at) => !files.some((file) => matches(file, wanted[at] ?? "")));
  if (missing !== undefined) throw new WrongArguments(`No test file of these stages is "${missing}" or in it`);
  const only = (job: Job): Job[] => {
    const found = job.files.filter((file) => wanted.some((path) => matches(file, path)));
    return found.length === 0 ? [] : [{ ...job, files: found }];
  };
  const chosen = stages.map((stage) => ({ ...stage, jobs: stage.jobs.flatMap(only) }));
  const names = new Set(chosen.flatMap(({ after = [], jobs, name }) => (jobs.length === 0 ? [] : [name, ...after])));
  return all.flatMap((stage) => {
    if (!names.has(stage.name)) return [];
    const own = chosen.find(({ jobs, name }) => name === stage.name && jobs.length > 0);
    return [own ?? stage];
  });
}

/** Whole files: each goes to the part that has least. What others use is in every part. */
function shardOf(text: string, stages: readonly Stage[]): Stage[] {
  const [, part, parts] = /^([1-9]\d?)\/([1-9]\d?)$/.exec(text) ?? [];
  if (Number(part) > Number(parts) || parts === undefined)
    throw new WrongArguments(`--shard takes a part such as 1/4, not "${text}"`);
  const sizes = Array.from({ length: Number(parts) }, () => 0);
  const needed = new Set(stages.flatMap(({ after }) => after ?? []));
  const isOwn = (job: Job): boolean => {
    const least = sizes.indexOf(Math.min(...sizes));
    sizes[least] = (sizes[least] ?? 0) + sizeOf(job);
    return least === Number(part) - 1;
  };
  const chosen = stages.map((stage) => (needed.has(stage.name) ? stage : { ...stage, jobs: stage.jobs.filter(isOwn) }));
  return chosen.filter(({ jobs }) => jobs.length > 0);
}

/** A start costs about as much as 4 kB of tests. */
const START_BYTES = 4000;

const sizeOf = ({ files }: Job): number =>
  files.reduce((size, file) => size + statSync(join(root, file)).size, START_BYTES);
