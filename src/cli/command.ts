/** A command is a record, one per file in `commands/`. Parsing, help and completion are derived from it. */
import { unitMs } from "../core/waits.ts";
import { LecternError } from "../core/errors.ts";
import type { CliContext } from "./context.ts";

interface OptionBase {
  /** One letter. */
  readonly short?: string;
  readonly summary: string;
  /** Omitted from help and completion. */
  readonly hidden?: boolean;
}

interface ValueOption extends OptionBase {
  /** Stands for the value in the help, such as `NAME`. */
  readonly placeholder: string;
}

/**
 * - `flag`: no value
 * - `choice`: a value only with "=", such as `--sandbox=look`; without one it is `bare`
 * - `text`: if repeated, the last one is used; `choices` lists the valid values
 * - `list`: can be repeated
 * - `number`: a whole number
 * - `duration`: milliseconds from text such as `500ms`, `2s`, `1.5m`; a plain number is seconds
 * - `size`: bytes from text such as `64M`; a plain number is bytes
 */
export type OptionSpec =
  | (OptionBase & { readonly type: "flag" })
  | (ValueOption & { readonly type: "choice"; readonly bare: string; readonly choices: readonly string[] })
  | (ValueOption & { readonly type: "text"; readonly choices?: readonly string[]; readonly completes?: Completes })
  | (ValueOption & { readonly type: "list"; readonly completes?: Completes })
  | (ValueOption & { readonly type: "number" | "size"; readonly minimum?: number; readonly maximum?: number })
  | (ValueOption & { readonly type: "duration" });

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

/**
 * What shell completion suggests for an argument, and what it names:
 * - `session`: a session, also of another machine, as `box/work`
 * - `own-session`: a session of this machine only
 * - `recording`: a session or a file
 * - `host`: a machine of `lectern hosts`
 */
type Completes = "session" | "own-session" | "recording" | "host" | "file" | "directory";

export interface ArgumentSpec {
  readonly name: string;
  readonly summary: string;
  /** Default "one". `many` is one or more, `any` is zero or more; both only for the last argument. */
  readonly count?: "one" | "optional" | "many" | "any";
  readonly completes?: Completes;
  readonly choices?: readonly string[];
  /** A session whose name begins so is meant if there is none of that name, and only one begins so. */
  readonly takesBeginning?: boolean;
}

type ValueOf<Spec extends OptionSpec> = Spec extends { readonly type: "flag" }
  ? boolean
  : Spec extends { readonly type: "list" }
    ? readonly string[]
    : Spec extends { readonly type: "text" | "choice" }
      ? string | undefined
      : number | undefined;

type ArgumentOf<Spec extends ArgumentSpec> = Spec["count"] extends "many" | "any"
  ? readonly string[]
  : Spec["count"] extends "optional"
    ? string | undefined
    : string;

export type OptionValues<Options extends OptionSpecs> = { readonly [Name in keyof Options]: ValueOf<Options[Name]> };

export interface CommandInput<Options extends OptionSpecs, Arguments extends readonly ArgumentSpec[]> {
  readonly options: OptionValues<Options>;
  readonly arguments: {
    readonly [Spec in Arguments[number] as Spec["name"]]: ArgumentOf<Spec>;
  };
}

export interface Command<
  Options extends OptionSpecs = OptionSpecs,
  Arguments extends readonly ArgumentSpec[] = readonly ArgumentSpec[],
> {
  readonly name: string;
  /** In the imperative, without a period, at most 66 characters so that the main help fits in 80 columns. */
  readonly summary: string;
  /** Additional lines for the help of the command. */
  readonly details?: readonly string[];
  readonly arguments: Arguments;
  readonly options: Options;
  /** Complete command lines. */
  readonly examples: readonly string[];
  /** Options end at the first argument; the rest is the command line of a program. */
  readonly optionsFirst?: boolean;
  readonly hidden?: boolean;
  /** Takes `--host`. Default: true if an argument or option names a session. */
  readonly reachesHosts?: boolean;
  /** Resolves with the exit code; without one it is 0. A method, so that records with different options fit in one table. */
  run(input: CommandInput<Options, Arguments>, context: CliContext): Promise<number | void>;
}

/** Commands by name, each loaded on demand. */
export type CommandLoaders = Readonly<Record<string, () => Promise<Command>>>;

export type CommandGroupName = "start" | "watch" | "type" | "agents" | "records" | "policy" | "administration";

/** Infers the types of options and arguments. */
export const defineCommand = <const Options extends OptionSpecs, const Arguments extends readonly ArgumentSpec[]>(
  command: Command<Options, Arguments>,
): Command<Options, Arguments> => command;

export const jsonOption = { type: "flag", summary: "Print JSON" } as const satisfies OptionSpec;
export const sessionOption = {
  type: "text",
  short: "s",
  placeholder: "SESSION",
  completes: "session",
  summary: "Only this session",
} as const satisfies OptionSpec;
export const sessionArgument = {
  name: "session",
  summary: "Name, id, or 4 or more first characters of an id; HOST/NAME on a host",
  completes: "session",
} as const satisfies ArgumentSpec;

/** For commands that only show a session. Those that type into it, change or end it take its exact name. */
export const shownSessionArgument = {
  ...sessionArgument,
  summary: "Name, id, or a unique beginning of one; HOST/NAME on a host",
  takesBeginning: true,
} as const satisfies ArgumentSpec;

/** Timed out; the same code as timeout(1). */
export const TIMED_OUT_EXIT_CODE = 124;
/** The session asks a person a question; it continues after the answer. */
export const ASKS_EXIT_CODE = 10;
/** The longest that a command waits for the daemon. */
export const WAIT_MS_MAX = unitMs.d;

/** Throws `USAGE` if more than one of the flags in `formats` is given. */
export function requireOneFormat(options: Readonly<Record<string, unknown>>, ...formats: readonly string[]): void {
  if (formats.filter((name) => options[name] === true).length < 2) return;
  const flags = formats.map((name) => `--${name}`).join(", ");
  throw new LecternError("USAGE", `Cannot combine output formats: give one of ${flags}`);
}
