/**
 * The commands that package managers start: `npx x`, `uv run x`, `npm run env -- x`, `yarn workspace a exec x`. A rule that allows the
 * manager covers a program of the project that it starts; rules that restrict the program still apply.
 */
import type { Program, ProgramEntry } from "./program-entry.ts";
import type { ShellLaunch } from "./launches.ts";
import { literalWord, type ShellWord } from "./shell-words.ts";

const opaqueLaunch: ShellLaunch = { type: "opaque", reason: "launcher" };

export function launchesOfPackages(words: readonly ShellWord[], manager: Program): readonly ShellLaunch[] {
  const launches: ShellLaunch[] = [];
  let isKnown = false;
  const places = beginnings(words, 1).map((at) => ({ at, depth: 0 }));
  const isClosed = places.length > 0 && manager.others.some(({ kind }) => kind === "code");
  for (let place = places.shift(); place !== undefined; place = places.shift()) {
    const { at, depth } = place;
    const name = words[at]?.value;
    if (name === undefined) return [opaqueLaunch];
    const entry = manager.sub?.get(name)?.entry;
    if (entry?.nested !== undefined && depth < NESTED_MAX)
      places.push(...beginnings(words, at + 1 + entry.nested).map((next) => ({ at: next, depth: depth + 1 })));
    isKnown ||= entry !== undefined;
    if (entry !== undefined) launches.push(...startsAt(words, at, entry));
  }
  if (isClosed && !isKnown) return [opaqueLaunch];
  const isRun = !isKnown && manager.others.some(({ kind }) => kind === "run");
  return isRun ? programsFrom(words, 1) : launches;
}

const NESTED_MAX = 3;

/** What the subcommand at the place starts. */
function startsAt(words: readonly ShellWord[], at: number, entry: ProgramEntry): readonly ShellLaunch[] {
  if (entry.launch === "program") return programsFrom(words, at + 1);
  if (entry.launch === "script") return launchesOfScript(words, at + 1);
  if (entry.launch === "text") return shellText(words.slice(at + 1));
  if (entry.launch === "opaque") return [opaqueLaunch];
  const settings = entry["opaque-before"]?.split(" ");
  if (settings === undefined) return [];
  const isCode = beginnings(words, at + 1).some((next) => isSetting(settings, words[next]?.value));
  return isCode ? [opaqueLaunch] : [];
}

/** A computed word may be any. */
const isSetting = (settings: readonly string[], word: string | undefined): boolean =>
  word === undefined || settings.includes(word);

/** `npx x`: every word behind it is the program with its arguments. */
export const programsFrom = (words: readonly ShellWord[], from: number): readonly ShellLaunch[] =>
  beginnings(words, from).map((at) => ({ type: "command", words: words.slice(at), assigned: [], isCovered: true }));

/** `npm run env -- x` starts `env x`, if the project has no script of this name. A computed name may be `env`. */
function launchesOfScript(words: readonly ShellWord[], from: number): readonly ShellLaunch[] {
  return beginnings(words, from).flatMap((at): readonly ShellLaunch[] => {
    const name = words[at]?.value;
    if (name === undefined) return [opaqueLaunch];
    if (name !== "env") return [];
    const rest = words.slice(at + 1);
    const end = rest.findIndex(({ value }) => value === "--");
    const own = end < 0 ? rest : rest.slice(0, end);
    const passed = own.filter(({ value }) => value?.startsWith("-") !== true);
    return [{ type: "command", words: [literalWord("env"), ...passed, ...rest.slice(own.length + 1)], assigned: [] }];
  });
}

/** `npm explore lodash -- ls -l` */
function shellText(words: readonly ShellWord[]): readonly ShellLaunch[] {
  const [first, ...rest] = words;
  if (first === undefined) return [];
  const text = rest.slice(rest[0]?.value === "--" ? 1 : 0).map(({ value }) => value);
  if (first.value?.startsWith("-") !== false || text.includes(undefined)) return [opaqueLaunch];
  return text.length === 0 ? [{ type: "input" }] : [{ type: "script", text: text.join(" ") }];
}

/** `cmake -E rm x` is `rm x`. */
export function launchesOfCmake(
  words: readonly ShellWord[],
  { entry: { tools = {} } }: Program,
): readonly ShellLaunch[] {
  const at = words.findIndex(({ value }) => value === "-E");
  const tool = words[at + 1];
  if (at < 0 || tool === undefined) return [];
  const known = Object.hasOwn(tools, tool.value ?? "") ? tools[tool.value ?? ""] : undefined;
  const name = known?.split(" ").map((word) => literalWord(word)) ?? [tool];
  return [{ type: "command", words: [...name, ...words.slice(at + 2)], assigned: [] }];
}

/** Options of package managers without a value, and the toolchain of `cargo +nightly`. */
const flags =
  /^(?:--|\+.*|-[yqvT]|--(?:yes|no|no-install|quiet|silent|verbose|frozen|locked|no-sync|isolated|offline|bun|no-capture-output))$/;

/** Where the command may begin: a word behind an option can be the option's value. */
function beginnings(words: readonly ShellWord[], from: number): readonly number[] {
  const found: number[] = [];
  let mayBeValue = false;
  for (let at = from; at < words.length; at += 1) {
    const value = words[at]?.value;
    if (value !== undefined && /^[-+]/.test(value)) {
      mayBeValue = !value.includes("=") && !flags.test(value);
      continue;
    }
    found.push(at);
    if (!mayBeValue) break;
    mayBeValue = false;
  }
  return found;
}
