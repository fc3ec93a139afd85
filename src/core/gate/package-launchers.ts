/**
 * The commands that package managers start: `npx x`, `uv run x`, `npm run env -- x`, `yarn workspace a exec x`. A rule that allows the
 * manager covers a program of the project that it starts; rules that restrict the program still apply.
 */
import type { Launches, ShellLaunch } from "./shell-launchers.ts";
import { literalWord, valueAt, type ShellWord } from "./shell-words.ts";
import { isSystemProgram } from "./shell-wrappers.ts";

/** Names of subcommands. */
interface PackageManager {
  /** The words behind them are a program with its arguments. */
  readonly programs?: ReadonlySet<string>;
  /** They run scripts of the project; npm has one of its own, `env`, which starts its arguments. */
  readonly scripts?: ReadonlySet<string>;
  /** The words behind the first one are shell text; without them it is an interactive shell. */
  readonly shell?: ReadonlySet<string>;
  /** They change what runs later, open an editor, or start what is not read here. */
  readonly code?: ReadonlySet<string>;
  /** The same, if one of these words follows. */
  readonly codeBefore?: ReadonlyMap<string, ReadonlySet<string>>;
  /** A subcommand follows, behind this number of operands. */
  readonly nested?: ReadonlyMap<string, number>;
  /** All other subcommands; one that is in no list is opaque. Undefined: others start nothing. */
  readonly others?: ReadonlySet<string>;
}

const names = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** A word of a command may also be the name of something that every object has. */
const byWord = <Value>(table: Readonly<Record<string, Value>>): ReadonlyMap<string, Value> =>
  new Map(Object.entries(table));

const run: PackageManager = { programs: names("run") };
const exec: PackageManager = { programs: names("exec") };

const managers: ReadonlyMap<string, PackageManager> = new Map(
  Object.entries<PackageManager>({
    npm: {
      programs: names("exec x"),
      scripts: names("run run-script rum urn"),
      shell: names("explore"),
      code: names("edit set set-script"),
      codeBefore: byWord({ config: names("set edit"), c: names("set edit"), pkg: names("set") }),
      others: names(
        "access adduser add-user approve-scripts audit bin birthday bugs issues cache ci clean-install ic install-clean isntall-clean completion " +
          "dedupe ddp deny-scripts deprecate diff dist-tag dist-tags docs home doctor explain why find-dupes fund get help hlep " +
          "help-search hook init create innit install add i in ins inst insta instal isnt isnta isntal isntall install-ci-test cit " +
          "clean-install-test sit install-scripts install-test it link ln ll la login logout ls list org ogr outdated owner author " +
          "pack ping prefix profile prune publish query rebuild rb repo restart root sbom search find s se shrinkwrap stage star " +
          "stars start stop team test t tst token trust undeprecate uninstall unlink remove rm r un unpublish unstar update u up " +
          "upgrade udpate version verison view info show v whoami",
      ),
    },
    pnpm: {
      programs: names("exec dlx"),
      scripts: names("run run-script"),
      code: names("set"),
      codeBefore: byWord({ config: names("set"), c: names("set"), pkg: names("set") }),
      nested: byWord({ recursive: 0, multi: 0, m: 0 }),
    },
    yarn: {
      programs: names("run exec dlx"),
      code: names("set plugin"),
      codeBefore: byWord({ config: names("set") }),
      nested: byWord({ workspace: 1, workspaces: 0, foreach: 0 }),
    },
    bun: { programs: names("run x") },
    uv: { programs: names("run"), nested: byWord({ tool: 0 }) },
    hatch: { programs: names("run"), nested: byWord({ env: 0 }) },
    pixi: { programs: names("run exec x") },
    mise: { programs: names("exec x") },
    cargo: { code: names("watch") },
    ...Object.fromEntries(
      "poetry pipenv rye pdm pipx conda mamba micromamba".split(" ").map((name) => [name, run] as const),
    ),
    ...Object.fromEntries("bundle asdf rbenv pyenv nodenv opam composer".split(" ").map((name) => [name, exec])),
  }),
);

/** Every word behind them is the program with its arguments. */
const bareRunners: ReadonlySet<string> = new Set("npx bunx pnpx uvx".split(" "));

/** They may start words that the table does not cover (`pnpm x` runs a program `x`): a restriction counts each as a possible beginning. */
const openManagers: ReadonlySet<string> = new Set("pnpm yarn bun deno cargo cmake".split(" "));

export const mayStartWords = (name: string): boolean => openManagers.has(name);

const opaqueLaunch: ShellLaunch = { type: "opaque", reason: "launcher" };

/** Undefined if the program is not in the table. */
export function launchesOfPackages(words: readonly ShellWord[]): Launches | undefined {
  const name = valueAt(words, 0);
  if (bareRunners.has(name)) return { launches: programsFrom(words, 1), transparent: false };
  if (name === "cmake") return { launches: launchesOfCmake(words), transparent: false };
  const manager = managers.get(name);
  return manager === undefined ? undefined : { launches: startsOf(words, manager), transparent: false };
}

function startsOf(words: readonly ShellWord[], manager: PackageManager): readonly ShellLaunch[] {
  const launches: ShellLaunch[] = [];
  let isKnown = false;
  const places = beginnings(words, 1).map((at) => ({ at, depth: 0 }));
  for (let place = places.shift(); place !== undefined; place = places.shift()) {
    const { at, depth } = place;
    const name = words[at]?.value;
    if (name === undefined) return [opaqueLaunch];
    const operands = manager.nested?.get(name);
    if (operands !== undefined && depth < NESTED_MAX)
      places.push(...beginnings(words, at + 1 + operands).map((next) => ({ at: next, depth: depth + 1 })));
    const started = startsAt(words, at, manager);
    isKnown ||= started !== undefined || manager.others?.has(name) === true;
    launches.push(...(started ?? []));
  }
  const isClosed = manager.others !== undefined && beginnings(words, 1).length > 0;
  return isClosed && !isKnown ? [opaqueLaunch] : launches;
}

const NESTED_MAX = 3;

/** Undefined if the subcommand at the place starts nothing. */
function startsAt(
  words: readonly ShellWord[],
  at: number,
  manager: PackageManager,
): readonly ShellLaunch[] | undefined {
  const name = valueAt(words, at);
  if (manager.programs?.has(name) === true) return programsFrom(words, at + 1);
  if (manager.scripts?.has(name) === true) return launchesOfScript(words, at + 1);
  if (manager.shell?.has(name) === true) return shellText(words.slice(at + 1));
  if (manager.code?.has(name) === true) return [opaqueLaunch];
  const settings = manager.codeBefore?.get(name);
  if (settings === undefined) return undefined;
  const isCode = beginnings(words, at + 1).some((next) => isSetting(settings, words[next]?.value));
  return isCode ? [opaqueLaunch] : [];
}

/** A computed word may be any. */
const isSetting = (settings: ReadonlySet<string>, word: string | undefined): boolean =>
  word === undefined || settings.has(word);

const programsFrom = (words: readonly ShellWord[], from: number): readonly ShellLaunch[] =>
  beginnings(words, from).map((at) => startedBy(words.slice(at)));

function startedBy(words: readonly ShellWord[]): ShellLaunch {
  const launch = { type: "command", words, assigned: [] } as const;
  return isSystemProgram(words) ? launch : { ...launch, isCovered: true };
}

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

/** Commands of `cmake -E`, by their usual names. */
const cmakeTools = byWord({
  copy: "cp",
  copy_directory: "cp -r",
  copy_directory_if_different: "cp -r",
  copy_if_different: "cp",
  copy_if_newer: "cp",
  create_hardlink: "ln",
  create_symlink: "ln -s",
  make_directory: "mkdir",
  remove: "rm",
  remove_directory: "rm -r",
  rename: "mv",
  touch_nocreate: "touch",
});

/** `cmake -E rm x` is `rm x`. */
function launchesOfCmake(words: readonly ShellWord[]): readonly ShellLaunch[] {
  const at = words.findIndex(({ value }) => value === "-E");
  const tool = words[at + 1];
  if (at < 0 || tool === undefined) return [];
  const name = cmakeTools
    .get(tool.value ?? "")
    ?.split(" ")
    .map((word) => literalWord(word)) ?? [tool];
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
