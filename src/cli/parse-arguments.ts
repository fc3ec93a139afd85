/** Parses the words after a command's name by its record. Throws `USAGE` errors that name the nearest valid word. */
import { parseArgs } from "node:util";
import { LecternError } from "../core/errors.ts";
import type { ArgumentSpec, Command, CommandInput, OptionSpec, OptionSpecs } from "./command.ts";
import { didYouMean } from "../core/text/nearest.ts";
import { parseDuration, parseSize } from "../core/text/quantities.ts";

export type Parsed =
  | { readonly help: true }
  | { readonly help: false; readonly input: CommandInput<OptionSpecs, readonly ArgumentSpec[]> };

type Value = string | boolean | number | string[];

/** `--help` or `-h` before `--` overrides everything else. Throws `USAGE`. */
export function parseArguments(command: Command, words: readonly string[]): Parsed {
  const { head, rest } =
    command.optionsFirst === true ? splitAtArgument(command.options, words) : { head: words, rest: [] };
  if (words[head.length] !== "--") checkDetachedChoice(command, head.at(-1), rest[0]);
  const { tokens } = parseArgs({
    args: [...head],
    options: configOf(command.options),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const options = defaultsOf(command.options);
  const found: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") found.push(token.value);
    if (token.kind !== "option") continue;
    if (token.name === "help" || token.rawName === "-h") return { help: true };
    setOption(command, options, token);
  }
  return { help: false, input: { options, arguments: namedArguments(command, [...found, ...rest]) } as never };
}

/** `--sandbox look bash` would start a program "look". */
function checkDetachedChoice(command: Command, option: string | undefined, word: string | undefined): void {
  const spec = option?.startsWith("--") ? command.options[option.slice(2)] : undefined;
  if (spec?.type !== "choice" || word === undefined || !spec.choices.includes(word)) return;
  throw usage(
    command,
    `Option "${option}" takes its value after "=": ${option}=${word}; a program of that name follows "--": ${option} -- ${word}`,
  );
}

/** parseArgs only splits the words: options and their values are checked here, with better error messages. */
function configOf(options: OptionSpecs): NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>["options"]> {
  const entries = Object.entries(options).map(
    ([name, spec]) =>
      [
        name,
        {
          type: takesValue(spec) ? ("string" as const) : ("boolean" as const),
          ...(spec.short === undefined ? {} : { short: spec.short }),
        },
      ] as const,
  );
  return Object.fromEntries(entries);
}

function defaultsOf(options: OptionSpecs): Record<string, Value> {
  const values: Record<string, Value> = {};
  for (const [name, { type }] of Object.entries(options)) {
    if (type === "flag") values[name] = false;
    else if (type === "list") values[name] = [];
  }
  return values;
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function setOption(command: Command, values: Record<string, Value>, token: OptionToken): void {
  const spec = Object.hasOwn(command.options, token.name) ? command.options[token.name] : undefined;
  if (spec === undefined) throw unknownOption(command, token.rawName);
  if (spec.type === "flag") {
    if (token.value !== undefined) throw usage(command, `Option "${token.rawName}" takes no value`);
    values[token.name] = true;
    return;
  }
  if (spec.type === "choice") {
    if (token.value === "") throw usage(command, `Option "${token.rawName}" needs a value after "="`);
    values[token.name] = token.value ?? spec.bare;
    return;
  }
  if (token.value === undefined || (token.inlineValue !== true && /^-[^0-9]/.test(token.value)))
    throw usage(command, `Option "${token.rawName}" needs a value: ${token.rawName} ${spec.placeholder}`);
  const former = values[token.name];
  if (spec.type === "list" && Array.isArray(former)) former.push(token.value);
  else values[token.name] = valueOf(command, spec, { name: token.rawName, text: token.value });
}

function valueOf(
  command: Command,
  spec: Exclude<OptionSpec, { readonly type: "flag" | "choice" }>,
  { name, text }: { readonly name: string; readonly text: string },
): string | number {
  switch (spec.type) {
    case "list":
      return text;
    case "text":
      if (spec.choices === undefined || spec.choices.includes(text)) return text;
      throw usage(command, `Option "${name}" must be one of ${spec.choices.join(", ")}, not "${text}"`);
    case "number": {
      const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = spec;
      const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      if (value >= minimum && value <= maximum) return value;
      throw usage(command, `Option "${name}" must be a whole number from ${minimum} to ${maximum}, not "${text}"`);
    }
    case "duration":
      return (
        parseDuration(text) ??
        failWith(usage(command, `Option "${name}" must be a time such as 500ms, 10s or 2m, not "${text}"`))
      );
    case "size": {
      const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = spec;
      const value = parseSize(text);
      if (value === undefined)
        throw usage(command, `Option "${name}" must be a size such as 65536, 64K or 2G, not "${text}"`);
      if (value >= minimum && value <= maximum) return value;
      const most = spec.maximum === undefined ? "" : ` and at most ${maximum}`;
      throw usage(command, `Option "${name}" must be at least ${minimum}${most} bytes, not "${text}"`);
    }
  }
}

function failWith(error: LecternError): never {
  throw error;
}

/** Separates the words of the command from those of the program that it starts. */
function splitAtArgument(
  options: OptionSpecs,
  words: readonly string[],
): { readonly head: readonly string[]; readonly rest: readonly string[] } {
  const byShort = new Map(Object.values(options).map((spec) => [spec.short, spec]));
  let index = 0;
  while (index < words.length) {
    const word = words[index] ?? "";
    if (word === "--") return { head: words.slice(0, index), rest: words.slice(index + 1) };
    if (!word.startsWith("-") || word === "-") break;
    const spec = word.startsWith("--") ? options[word.slice(2)] : byShort.get(word.at(-1));
    const isShortWithValue =
      !word.startsWith("--") &&
      word
        .slice(1, -1)
        .split("")
        .some((letter) => takesValue(byShort.get(letter)));
    index += takesValue(spec) && !isShortWithValue ? 2 : 1;
  }
  return { head: words.slice(0, index), rest: words.slice(index) };
}

/** In the word behind it. */
const takesValue = (spec: OptionSpec | undefined): boolean =>
  spec !== undefined && spec.type !== "flag" && spec.type !== "choice";

function namedArguments(command: Command, found: readonly string[]): Record<string, string | readonly string[]> {
  const named: Record<string, string | readonly string[]> = {};
  let index = 0;
  for (const spec of command.arguments) {
    const count = spec.count ?? "one";
    const left = found.slice(index);
    if (left.length === 0 && (count === "one" || count === "many"))
      throw usage(command, `Missing argument ${spec.name.toUpperCase()}`);
    const taken = count === "many" || count === "any" ? left : left.slice(0, 1);
    for (const word of taken) checkChoice(command, spec, word);
    if (count === "many" || count === "any") named[spec.name] = taken;
    else if (taken[0] !== undefined) named[spec.name] = taken[0];
    index += taken.length;
  }
  const extra = found[index];
  if (extra !== undefined) throw usage(command, `Unexpected argument "${extra}"`);
  return named;
}

function checkChoice(command: Command, spec: ArgumentSpec, word: string): void {
  if (spec.choices === undefined || spec.choices.includes(word)) return;
  throw usage(command, `${spec.name.toUpperCase()} must be one of ${spec.choices.join(", ")}, not "${word}"`);
}

function unknownOption(command: Command, rawName: string): LecternError {
  const known = Object.entries(command.options).flatMap(([name, spec]) => (spec.hidden === true ? [] : [`--${name}`]));
  const hint = rawName.startsWith("--") ? didYouMean(rawName, known) : undefined;
  return usage(command, `Unknown option "${rawName}"${hint === undefined ? "" : `, ${hint}`}`);
}

const usage = (command: Command, message: string): LecternError =>
  new LecternError("USAGE", `${message}; see "lectern ${command.name} --help"`);
