/**
 * The records of programs: what each option, operand and subcommand does. They are data (`programs/*.yaml`), and this is their only
 * reader. A record that breaks the form is an error, never guessed around.
 */

/** How a program splits its words. */
type Grammar = "gnu" | "git" | "posix" | "shell" | "long" | "find" | "tar" | "dd" | "words";

const grammars: ReadonlySet<string> = new Set<Grammar>(
  "gnu git posix shell long find tar dd words".split(" ") as Grammar[],
);

/**
 * What a command does to its target:
 * - `read`: its content is read; `inspect`: something about it is printed, such as its type; `list`: names below it
 * - `write`: through a link at its last part; `replace`: a new file at the name; `scratch`: own temporary files in the folder
 * - `delete`, `move`, `mode`, `times`: as they say; `loses`: changes that nothing else has are lost
 * - `names`: it is read, and its content names files
 * - `run`: it is started as a program; `code`: code that is not read here runs
 * - `network`, `socket`: it connects; `settings`: it changes what programs do later
 * - `unknown`: nobody knows
 */
export type EffectKind = (typeof effectKinds)[number];

const effectKinds = [
  "read",
  "inspect",
  "list",
  "write",
  "replace",
  "scratch",
  "delete",
  "move",
  "mode",
  "times",
  "names",
  "run",
  "code",
  "network",
  "socket",
  "settings",
  "loses",
  "unknown",
] as const;

const isEffectKind = (name: string): name is EffectKind => (effectKinds as readonly string[]).includes(name);

/** A record as its file has it. */
export interface ProgramEntry {
  /** Default `gnu`. */
  readonly parse?: string;
  /** By section: what the option or its value does. Names joined by `|`; `=` takes a value, `=?` only a glued one. */
  readonly options?: Readonly<Record<string, string>>;
  /** Sets of options of the same file, by their names. */
  readonly use?: string;
  readonly shared?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The roles of the operands in order: `read...`, `pattern read...`, `move... replace-target`, `read-revision`. */
  readonly operands?: string;
  /** The operand that it takes if none is given. */
  readonly default?: string;
  /** Effects that it always has, separated by `;`: `network; write-tree node_modules`. */
  readonly does?: string;
  /** By option: what changes with it. */
  readonly modes?: Readonly<Record<string, ProgramMode>>;
  /** By names: the subcommands. The options of this record stand before them. */
  readonly sub?: Readonly<Record<string, ProgramEntry>>;
  /** The record of the sibling of this name, which this one extends. */
  readonly as?: string;
  /** What a subcommand does that is not in `sub`. */
  readonly others?: string;
  /** `dash`: an operand `-` is the input; `words`: words of its input follow the command that it starts. */
  readonly input?: string;
  /** By option: the only values that are known. */
  readonly values?: Readonly<Record<string, string>>;
  /**
   * Its targets may be links afterwards: `links` to its operands, `copies` of them, `files` of an archive or a repository; `anything`: any new
   * name may be one (`operand`: if it has an operand).
   */
  readonly makes?: string;
  /** What git may run in it by the configuration of the repository; `refs?`: if it has an operand. */
  readonly steps?: string;
  /** Programs that it starts as a part of its own work: `tar -z` has gzip. */
  readonly helpers?: string;
  /** The grammar of its subcommands. Default `gnu`. */
  readonly subs?: string;
  /** The language of the operand `script`: a program in it that only edits has no effect of its own. */
  readonly script?: string;
  /** It does nothing besides what it starts. */
  readonly transparent?: boolean;
  /** Without an operand: `code`: it starts a shell; `input`: it runs its input as shell text. */
  readonly bare?: string;
  /** Who reads what it starts, if its operands do not say that; `opaque`: nobody. */
  readonly launch?: string;
  /** `words`: it may start words that the record does not cover. */
  readonly starts?: string;
  /** Words that hold code or a command. */
  readonly code?: CodeForm;
  /** Variables with which it runs another program, or takes code or settings: a regular expression on the whole name. */
  readonly env?: string;
  /** Of `cmake -E`: other names of known commands. */
  readonly tools?: Readonly<Record<string, string>>;
  /** A subcommand follows, behind this number of operands. */
  readonly nested?: number;
  /** It is code if one of these words follows. */
  readonly "opaque-before"?: string;
}

/** Words that hold code: regular expressions on a word. */
export interface CodeForm {
  readonly always?: boolean;
  /** Long options, by any prefix of their names. */
  readonly long?: string;
  readonly words?: string;
  /** Flags of `words`. */
  readonly mode?: string;
  /**
   * It runs files. Without a file, `files` programs do something else, `alone` programs run their input. `program`: as `alone`, and a
   * word behind an option can be the option's value.
   */
  readonly runs?: "files" | "alone" | "program";
  /** Options of an interpreter without a value. One that is neither here nor in `values` counts as code. */
  readonly flags?: string;
  /** Options whose value is the next word. */
  readonly values?: string;
  /** Ends the options and names a Python module, in itself or in the next word: what follows belongs to the module. */
  readonly module?: string;
  /** Modules that take code as arguments or from the input, and those that run a file or another module. */
  readonly "code-modules"?: string;
  readonly "running-modules"?: string;
  /** Files that run code after a word such as `shell`. */
  readonly consoles?: string;
  /** Options with which it needs no file and does not run its input. */
  readonly complete?: string;
  /** A word in place of the file that takes code. */
  readonly command?: string;
  /** A word with which a database's shell does not run its input. Without one it does, and `words` are searched there. */
  readonly statement?: string;
  /** The language in which a short program is read, and the option whose value it is. */
  readonly small?: string;
  readonly given?: string;
  /** With more operands it does not run its input either. */
  readonly databases?: number;
}

interface ProgramMode {
  /** Sections that apply instead, by the names of options. */
  readonly options?: Readonly<Record<string, string>>;
  readonly operands?: string;
  readonly default?: string;
  readonly does?: string;
  readonly makes?: string;
  readonly steps?: string;
}

/**
 * Sections that are no effects: `tree` and `follows` make the effects on operands apply to all below, `target` takes the place of the
 * operand with this role (`file-target`: the target is never a folder), as do `pattern`, `script` and, with an effect, `read-pattern`, `folder` changes
 * where paths begin and `into` where the effects of `does` do, with `prints` there are none of those, `exec` takes a command up to `;`, `mark` names what the input replaces in a command, and `append` adds it at the end all the same; `ends` does nothing else, and
 * `rebuilds` names a folder that is emptied and filled: what is lost there, and `write-tree`.
 */
const structural = [
  "nothing",
  "tree",
  "follows",
  "target",
  "file-target",
  "folder",
  "into",
  "prints",
  "pattern",
  "script",
  "exec",
  "mark",
  "append",
  "selects",
  "ends",
  "rebuilds",
] as const;

export type Section =
  | EffectKind
  | (typeof structural)[number]
  | `operands-${EffectKind | "nothing"}`
  | `${EffectKind}-${"pattern" | "script" | "tree"}`;

const isSection = (name: string): name is Section =>
  isEffectKind(name) ||
  (structural as readonly string[]).includes(name) ||
  name === "operands-nothing" ||
  (name.startsWith("operands-") && isEffectKind(name.slice("operands-".length))) ||
  (/-(?:pattern|script|tree)$/.test(name) && isEffectKind(name.replace(/-\w+$/, "")));

export interface ProgramOption {
  readonly section: Section;
  /** `glued`: only behind `=`, or behind the letter. */
  readonly value: "none" | "needed" | "glued";
  /** All its names, with their dashes. */
  readonly names: readonly string[];
  /** Another value is not known. */
  readonly values?: readonly string[];
}

/** What an operand is for. */
export interface Role {
  /** Undefined: no effect of its own. */
  readonly kind: EffectKind | undefined;
  readonly name: "effect" | "target" | "prefix" | "revision" | (typeof roleNames)[number];
  readonly isTree: boolean;
  /** A tree that is read through the links in it. */
  readonly follows: boolean;
  readonly isMany: boolean;
  readonly isOptional: boolean;
}

export interface FixedEffect {
  readonly kind: EffectKind;
  readonly isTree: boolean;
  /** A path, or a host; null: none is named. */
  readonly target: string | null;
}

const madeNames = ["links", "copies", "files", "anything", "operand"] as const;

export interface Program {
  readonly grammar: Grammar;
  readonly options: ReadonlyMap<string, ProgramOption>;
  /** Those that have an option. */
  readonly sections: ReadonlySet<Section>;
  readonly roles: readonly Role[];
  /** The record says what its operands do. */
  readonly hasRoles: boolean;
  readonly fallback: string | undefined;
  readonly does: readonly FixedEffect[];
  readonly modes: ReadonlyMap<ProgramOption, Program>;
  readonly sub: ReadonlyMap<string, Program> | undefined;
  readonly others: readonly FixedEffect[];
  readonly readsDash: boolean;
  readonly steps: readonly string[];
  readonly makes: (typeof madeNames)[number] | undefined;
  readonly entry: ProgramEntry;
}

/** Every GNU program has them. */
const questions = ["--help", "--version"].map((name) => ({ section: "ends", value: "none", names: [name] }) as const);

/** Reads a record. `name` is for messages. Throws for a record that breaks the form. */
export function readRecord(name: string, record: ProgramEntry, shared: ProgramEntry["shared"] = {}): Program {
  const sets = { ...shared, ...record.shared };
  const options = new Map<string, ProgramOption>();
  for (const set of record.use?.split(" ") ?? []) {
    const found = sets[set];
    if (found === undefined) throw new RecordError(name, `there is no shared set "${set}"`);
    addOptions(name, options, found);
  }
  addOptions(name, options, record.options ?? {});
  for (const [names, values] of Object.entries(record.values ?? {})) {
    for (const each of names.split(" ")) {
      const spec = options.get(each);
      if (spec === undefined) throw new RecordError(name, `there is no option "${each}"`);
      options.set(each, { ...spec, values: values.split(" ") });
    }
  }
  for (const specs of Object.keys(record.modes ?? {})) addOptions(name, options, { selects: specs });
  const grammar = record.parse ?? "gnu";
  if (grammar === "gnu")
    for (const spec of questions) if (!options.has(spec.names[0])) options.set(spec.names[0], spec);
  if (!grammars.has(grammar)) throw new RecordError(name, `"${grammar}" is not a grammar`);
  const plain: Program = {
    grammar: grammar as Grammar,
    options,
    sections: new Set(options.values().map(({ section }) => section)),
    roles: rolesOf(name, record.operands ?? ""),
    hasRoles: record.operands !== undefined,
    fallback: record.default,
    does: effectsIn(name, record.does ?? ""),
    modes: new Map(),
    sub: record.sub === undefined ? undefined : subcommands(name, record, sets),
    others: effectsIn(name, record.others ?? "unknown"),
    readsDash: dashOf(name, record),
    steps: wordsIn(record.steps),
    makes: makesOf(name, record.makes ?? (record.steps?.includes("worktree") === true ? "anything" : undefined)),
    entry: record,
  };
  return { ...plain, modes: modesOf(name, record, plain) };
}

const wordsIn = (text = ""): readonly string[] => text.split(" ").filter((word) => word !== "");

/** The record breaks the form. */
export class RecordError extends Error {
  constructor(program: string, problem: string) {
    super(`The record of "${program}" is wrong: ${problem}`);
    this.name = "RecordError";
  }
}

function dashOf(name: string, { input }: ProgramEntry): boolean {
  if (input !== undefined && input !== "dash" && input !== "words")
    throw new RecordError(name, `"${input}" is not an input`);
  return input === "dash";
}

function makesOf(name: string, makes: string | undefined): Program["makes"] {
  const known = madeNames.find((each) => each === makes);
  if (known !== undefined || makes === undefined) return known;
  throw new RecordError(name, `"${makes}" is not what it makes`);
}

function addOptions(
  name: string,
  options: Map<string, ProgramOption>,
  sections: Readonly<Record<string, string>>,
): void {
  for (const [section, specs] of Object.entries(sections)) {
    if (!isSection(section)) throw new RecordError(name, `"${section}" is not a section`);
    for (const text of specs.split(/\s+/).filter((each) => each !== "")) {
      const spec = specOf(text, section);
      for (const each of spec.names) {
        if (each === "" || each.endsWith("=")) throw new RecordError(name, `"${text}" is not an option`);
        if (options.has(each)) throw new RecordError(name, `${each} is there twice`);
        options.set(each, spec);
      }
    }
  }
}

/** `-o|--output=` */
function specOf(text: string, section: Section): ProgramOption {
  const mark = /=\??$/.exec(text)?.[0] ?? "";
  const value = mark === "" ? "none" : mark === "=" ? "needed" : "glued";
  return { section, value, names: text.slice(0, text.length - mark.length).split("|") };
}

/** Without an effect of their own. `command` and all behind it are a command, `text` is shell text, `aliases` have it behind a `=`. */
const roleNames = ["pattern", "script", "data", "command", "assignments", "text", "aliases"] as const;

const isRoleName = (word: string): word is (typeof roleNames)[number] =>
  (roleNames as readonly string[]).includes(word);

const placeNames: ReadonlyMap<string | undefined, Role["name"]> = new Map([
  ["-target", "target"],
  ["-prefix", "prefix"],
  ["-revision", "revision"],
]);

function rolesOf(name: string, text: string): readonly Role[] {
  return wordsIn(text).map((each): Role => {
    const [, word = "", isTree, place, end] =
      /^([a-z]+?)(-tree|-follows)?(-target|-prefix|-revision)?(\.\.\.|\?)?$/.exec(each) ?? [];
    const counts = {
      isTree: isTree !== undefined,
      follows: isTree === "-follows",
      isMany: end === "...",
      isOptional: end === "?",
    };
    if (isRoleName(word)) return { kind: undefined, name: word, ...counts };
    if (!isEffectKind(word)) throw new RecordError(name, `"${each}" is not a role`);
    return { kind: word, name: placeNames.get(place) ?? "effect", ...counts };
  });
}

/** `network; write-tree node_modules` */
function effectsIn(name: string, text: string): readonly FixedEffect[] {
  return text
    .split(";")
    .map((each) => each.trim())
    .filter((each) => each !== "" && each !== "nothing")
    .map((each): FixedEffect => {
      const [word = "", ...target] = each.split(" ");
      const kind = word.replace(/-tree$/, "");
      if (!isEffectKind(kind)) throw new RecordError(name, `"${each}" is not an effect`);
      return { kind, isTree: kind !== word, target: target.length === 0 ? null : target.join(" ") };
    });
}

function subcommands(
  name: string,
  { sub: records = {}, subs }: ProgramEntry,
  shared: ProgramEntry["shared"],
): ReadonlyMap<string, Program> {
  const found = new Map<string, Program>();
  for (const [names, record] of Object.entries(records)) {
    const base = record.as === undefined ? {} : records[record.as];
    if (base === undefined) throw new RecordError(name, `there is no subcommand "${record.as}"`);
    const parse = subs === undefined ? {} : { parse: subs };
    const program = readRecord(`${name} ${names}`, { ...parse, ...base, ...record }, shared);
    for (const each of names.split(" ")) {
      if (found.has(each)) throw new RecordError(name, `${each} is there twice`);
      found.set(each, program);
    }
  }
  return found;
}

function modesOf(name: string, record: ProgramEntry, plain: Program): ReadonlyMap<ProgramOption, Program> {
  const modes = new Map<ProgramOption, Program>();
  for (const [specs, mode] of Object.entries(record.modes ?? {})) {
    const changed = new Map<string, ProgramOption>();
    addOptions(name, changed, mode.options ?? {});
    const program: Program = {
      ...plain,
      modes: new Map(),
      options: new Map([...plain.options, ...changed]),
      roles: mode.operands === undefined ? plain.roles : rolesOf(name, mode.operands),
      hasRoles: plain.hasRoles || mode.operands !== undefined,
      fallback: mode.default ?? plain.fallback,
      does: [...plain.does, ...effectsIn(name, mode.does ?? "")],
      steps: mode.steps === undefined ? plain.steps : wordsIn(mode.steps),
      makes: mode.makes === undefined ? plain.makes : makesOf(name, mode.makes),
    };
    for (const spec of specs.split(" ")) {
      const found = plain.options.get(spec.replace(/=\??$/, "").split("|")[0] ?? "");
      if (found !== undefined) modes.set(found, program);
    }
  }
  return modes;
}
