/**
 * Settings of an agent that decide where its requests go: an address in them is taken over, what cannot be is refused before anything
 * starts. Which files and keys count is in the agent's file (`launch.settings`).
 */
import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { parse as parseToml } from "smol-toml";
import type { Agent } from "../../core/agents/agent.ts";
import type { SettingsFileData, SettingsKeyData, WireRoute } from "../../core/agents/agent-file.ts";
import { LecternError } from "../../core/errors.ts";

export interface OwnSettingsInput {
  readonly agent: Agent;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  /** Upstreams that the user names. */
  readonly named: Partial<Record<WireRoute, string | undefined>>;
}

export interface TakenSettings {
  readonly upstreams: Partial<Record<WireRoute, string>>;
  /** Some address must be overridden. */
  readonly overrides: boolean;
}

const FILE_BYTES_MAX = 4 * 1024 * 1024;
const FOLDERS_UP_MAX = 64;
const COMMAND = "command";

interface Source {
  readonly name: string;
  /** For people. */
  readonly shown: string;
  readonly isLast: boolean;
  /** A file of variables, which those of the environment override. */
  readonly isEnvironment: boolean;
  readonly data: unknown;
}

interface Found {
  readonly source: Source;
  readonly path: string;
  readonly value: string;
}

/** Throws `INVALID_INPUT` with the file, the key and the next step. */
export function takeOwnSettings(input: OwnSettingsInput): TakenSettings {
  const { agent, command, environment, named } = input;
  const { files = {}, keys = {}, override } = agent.launch?.settings ?? {};
  if (Object.keys(keys).length === 0) return { upstreams: {}, overrides: false };
  const line = commandLine(command);
  const sources: Source[] = [
    ...Object.entries(files).flatMap(([name, file]) => sourcesOf(name, file, { ...input, line })),
    { name: COMMAND, shown: "its command line", isLast: true, isEnvironment: false, data: line },
  ];
  const upstreams: Partial<Record<WireRoute, string>> = {};
  let overrides = false;
  for (const rule of Object.values(keys)) {
    const { cut = "", refuse, route, unlessNamed } = rule;
    const found = valueOf(rule, sources, environment);
    if (found === undefined || (unlessNamed !== undefined && named[unlessNamed] !== undefined)) continue;
    if (refuse !== undefined) throw refused(agent, found, refuse);
    if (route === undefined) continue;
    const instead = `overrides the address of the gateway: name it with --upstream ${route}=URL instead`;
    if (found.source.isLast) throw refused(agent, found, instead);
    const address = found.value.replace(/\/+$/, "");
    upstreams[route] = cut !== "" && address.endsWith(cut) ? address.slice(0, -cut.length) : address;
    overrides = true;
  }
  const clash = override?.arguments?.find((word) => word.startsWith("-") && line[word] !== undefined);
  if (overrides && clash !== undefined) {
    const why = `Lectern needs ${clash} for itself, because its settings have an address of a model server`;
    throw new LecternError(
      "INVALID_INPUT",
      `Cannot watch ${agent.title} over the wire: ${why}; leave out ${clash}, or remove the address there`,
    );
  }
  return { upstreams, overrides };
}

/** The value is not repeated: it may hold a password. */
const refused = (agent: Agent, { path, source }: Found, why: string): LecternError =>
  new LecternError(
    "INVALID_INPUT",
    `Cannot watch ${agent.title} over the wire: "${path}" in ${source.shown} ${why}; or remove it there, or run without --wire`,
  );

/** Of a key that several files have, the value of the last one; of a key with a wildcard the first that matters. */
function valueOf(
  { fine = [], from, key, only }: SettingsKeyData,
  sources: readonly Source[],
  environment: OwnSettingsInput["environment"],
): Found | undefined {
  const fits = (patterns: readonly string[], value: string): boolean =>
    patterns.some((each) => (each.endsWith("*") ? value.startsWith(each.slice(0, -1)) : value === each));
  const matters = ({ value }: Found): boolean =>
    !/^(?:|false|0|no|off)$/i.test(value) && !fits(fine, value) && (only === undefined || fits(only, value));
  const found = sources
    .filter(({ name }) => (from === undefined ? name !== COMMAND : from.includes(name)))
    .filter(({ isEnvironment }) => !isEnvironment || (environment[key] ?? "") === "")
    .flatMap((source) =>
      at(source.data, key.split("."), []).map((place): Found => ({ source, ...place, path: place.path.join(".") })),
    );
  return (key.includes("*") ? found : found.slice(-1)).find(matters);
}

/** Every value at the path, as text. */
function at(
  data: unknown,
  [name, ...rest]: readonly string[],
  before: readonly string[],
): { path: readonly string[]; value: string }[] {
  if (name === undefined) {
    if (data === undefined || data === null) return [];
    return [
      {
        path: before,
        value: typeof data === "string" ? data : JSON.stringify(data),
      },
    ];
  }
  if (typeof data !== "object" || data === null) return [];
  const entries = Object.entries(data).filter(([each]) => name === "*" || each === name);
  return entries.flatMap(([each, value]) => at(value, rest, [...before, each]));
}

interface CommandLine {
  readonly [option: string]: string | readonly string[];
  /** What is no option and no value of one. */
  readonly words: readonly string[];
}

/** The options up to `--`, each with the word behind it if that is none: which take a value is not known. */
function commandLine(command: readonly string[]): CommandLine {
  const options: Record<string, string> = {};
  const words: string[] = [];
  const end = command.indexOf("--");
  const own = command.slice(1, end < 0 ? undefined : end);
  for (const [index, word] of own.entries()) {
    const [, option = word, value] = /^(--?[^=]+)=([^]*)$/.exec(word) ?? [];
    if (!word.startsWith("-")) {
      if (own[index - 1]?.startsWith("-") !== true) words.push(word);
    } else if (value !== undefined) options[option] = value;
    else options[word] = own[index + 1]?.startsWith("-") === false ? (own[index + 1] ?? "true") : "true";
  }
  return { ...options, words };
}

/** Each value that the command gives to one of these options, in any of its spellings: `-c x`, `--config=x`, `-cx`. */
function optionValues(command: readonly string[], options: readonly string[]): string[] {
  const end = command.indexOf("--");
  const own = command.slice(1, end < 0 ? undefined : end);
  return own.flatMap((word, index) => {
    if (options.includes(word)) return own[index + 1] ?? [];
    const option = options.find((each) => word.startsWith(each.startsWith("--") ? `${each}=` : each));
    if (option === undefined) return [];
    return word.slice(option.length).replace(/^=/, "");
  });
}

interface Place extends OwnSettingsInput {
  readonly line: CommandLine;
}

function sourcesOf(name: string, file: SettingsFileData, place: Place): Source[] {
  const { agent, command, environment } = place;
  const { format, isLast = false, options, paths = [], variable } = file;
  const facts = { name, isLast, isEnvironment: format === "env" };
  const source = (shown: string, text: string): Source => ({
    ...facts,
    shown,
    data: parsed(text, { agent, format, shown }),
  });
  const given = variable === undefined ? undefined : environment[variable];
  const values = options === undefined ? [] : optionValues(command, options);
  return [
    ...paths
      .flatMap((path) => filled(path, place))
      .flatMap((path) => {
        const text = textOf(path, agent);
        return text === undefined ? [] : [source(`"${path}"`, text)];
      }),
    ...(given === undefined ? [] : [source(`the variable ${variable}`, given)]),
    ...values.flatMap((value) => {
      const shown = `the option ${options?.[0] ?? ""}`;
      if (format === "toml") return [{ ...facts, shown, data: tomlLine(value) }];
      if (/^\s*\{/.test(value)) return [source(shown, value)];
      const path = resolve(place.workingDirectory, value);
      const text = textOf(path, agent);
      return text === undefined ? [] : [source(`"${path}"`, text)];
    }),
  ];
}

/** The paths that are meant, the nearest one last; none if something in it is not there. */
function filled(path: string, { environment, line, workingDirectory }: Place): string[] {
  let isWhole = true;
  const plain = path.replaceAll(/\{([\w-]+)(?::([^}]*))?\}/g, (_, name: string, otherwise: string | undefined) => {
    const value = name.startsWith("-") ? line[name] : environment[name];
    if (typeof value === "string" && value !== "") return value;
    isWhole &&= otherwise !== undefined;
    return otherwise ?? "";
  });
  const home = environment["HOME"];
  if (!isWhole || (plain.startsWith("~/") && home === undefined)) return [];
  if (plain.startsWith("~/")) return [join(home ?? "", plain.slice(2))];
  if (!plain.startsWith(".../")) return [resolve(workingDirectory, plain)];
  const found: string[] = [];
  for (let folder = workingDirectory; found.length < FOLDERS_UP_MAX; folder = dirname(folder)) {
    found.push(join(folder, plain.slice(4)));
    if (dirname(folder) === folder) break;
  }
  return found.toReversed();
}

/** Undefined where there is no such file, or the user may not read it: then the agent cannot either. */
function textOf(path: string, agent: Agent): string | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isFile() !== true) return undefined;
    if (stat.size <= FILE_BYTES_MAX) return readFileSync(path, "utf8");
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (["EACCES", "ENOENT", "ENOTDIR", "EPERM"].includes(code)) return undefined;
    throw unreadable(agent, `"${path}"`, error);
  }
  throw unreadable(agent, `"${path}"`, new Error(`it is larger than ${FILE_BYTES_MAX} bytes`));
}

function parsed(
  text: string,
  {
    agent,
    format,
    shown,
  }: { readonly agent: Agent; readonly format: SettingsFileData["format"]; readonly shown: string },
): unknown {
  try {
    if (format === "env") return parseEnv(text);
    if (format === "toml") return parseToml(text);
    return text.trim() === "" ? {} : (JSON.parse(withoutComments(text)) as unknown);
  } catch (error) {
    throw unreadable(agent, shown, error);
  }
}

const unreadable = (agent: Agent, shown: string, cause: unknown): LecternError =>
  new LecternError(
    "INVALID_INPUT",
    `Cannot watch ${agent.title} over the wire: its settings in ${shown} cannot be read, so nobody knows where its requests go (${(cause as Error).message.split("\n")[0] ?? ""}); correct the file, or run without --wire`,
    { cause },
  );

/** `key=value` of a command line: what is no TOML is a text. */
function tomlLine(line: string): unknown {
  const cut = line.indexOf("=");
  if (cut < 0) return {};
  try {
    return parseToml(line);
  } catch {
    const path = line.slice(0, cut).trim().split(".");
    return path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), line.slice(cut + 1).trim());
  }
}

/** JSON as editors write it: with comments, and commas at the end of lists. */
const withoutComments = (text: string): string =>
  text
    .replace(/^\uFEFF/, "")
    .replaceAll(/"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[^]*?\*\//g, (piece) => (piece.startsWith('"') ? piece : " "))
    .replaceAll(/"(?:\\.|[^"\\])*"|,(?=\s*[}\]])/g, (piece) => (piece === "," ? " " : piece));
