/**
 * What a command does, as far as the record of its program tells: the files that it reads, writes or deletes, the programs and the code
 * that it starts, the network. Pure: nothing is looked up, and a path is what its text says.
 */
import type { MadeKind } from "./made-names.ts";
import type { EffectKind, FixedEffect, Program, Role, Section } from "./program-entry.ts";
import { isOpen, splitWords, type ProgramWords, type ReadOperand, type ReadOption } from "./program-words.ts";
import { programNamed } from "./programs.ts";
import { onlyEdits } from "./shell-editors.ts";
import {
  launchesOf,
  launchesOfRoles,
  noLaunches,
  opaqueLaunches,
  type Launches,
  type ShellLaunch,
  type SplitCommand,
} from "./launches.ts";
import { gitTakesCode, startsByOption } from "./shell-interpreters.ts";
import { literalWord, unknownWord, withPlainName, type ShellWord } from "./shell-words.ts";

export interface ProgramEffect {
  readonly kind: EffectKind;
  /**
   * The path, host or program as it stands in the text; null: none is named (the whole tree, the network). Paths begin in the folder in
   * which the command starts. For `unknown`: the word that the record does not have; a glob there matters only if a name that it matches
   * begins with a dash.
   */
  readonly target: ShellWord | null;
  /** All that is below the target; `follows`: also through links. */
  readonly tree?: "below" | "follows";
  /** Names that the text does not have appear below the target: those of an archive, or of folders that are copied. */
  readonly brings?: true;
  /** The words do not name it: what the program always does. */
  readonly isImplied?: true;
  /** One of several readings of a word that is `unknown`, too: it can restrict, and allows nothing. */
  readonly isPossible?: true;
  /** For people: `sort -o FILE`. */
  readonly text: string;
}

export interface ProgramReading {
  readonly effects: readonly ProgramEffect[];
  /** What it starts, read by itself. */
  readonly launches: readonly ShellLaunch[];
  /** It has no effect besides what it launches. */
  readonly transparent: boolean;
  /** Programs that it starts as a part of its own work. */
  readonly helpers: readonly string[];
  /** Names in its targets, or anywhere, that may be links afterwards. */
  readonly makes?: { readonly kind: MadeKind; readonly isAnywhere: boolean };
  /** What the configuration of the repository can make git run in it: names of steps, such as `refresh` and `worktree`. */
  readonly steps: readonly string[];
  /** Folders that it enters, each from the one before it. */
  readonly folders: readonly ShellWord[];
  /** Folders that get files of the names of its sources. */
  readonly targets: readonly ShellWord[];
  /** What its record does not know, it may do below the folders in its words. */
  readonly mayWalk: boolean;
}

/** Is it a program of the project, as far as is known? `sudo` has no effect of its own, and changes what its command may do. */
export const isOfProject = ({ effects, launches, transparent }: ProgramReading): boolean =>
  effects.some(({ kind }) => kind === "code") ||
  (effects.every(({ kind }) => kind === "unknown") && (effects.length > 0 || transparent || launches.length === 0));

/**
 * Undefined: no record. An option that the record does not know is one effect `unknown`.
 *
 * @example
 * ```ts
 * readCommand(["sort", "-o", "b", "a"].map((word) => literalWord(word)))?.effects.map(({ text }) => text); // ["sort -o b", "sort a"]
 * ```
 */
export function readCommand(words: readonly ShellWord[]): ProgramReading | undefined {
  const plain = withPlainName(words);
  const program = programNamed(plain[0]?.value ?? "");
  if (program === undefined) return undefined;
  const reader = new CommandReader(words[0]?.text ?? "");
  reader.read(plain, program);
  const { effects, folders, helpers, launches = noLaunches, makes, steps, targets } = reader;
  const mayWalk = !touchesOnlyNamed(program);
  return { effects, helpers, steps, targets, mayWalk, folders, ...launches, ...(makes !== undefined && { makes }) };
}

/** It starts none of its words, runs no code and walks no folder. */
const touchesOnlyNamed = ({ entry: { code, launch, script, starts, sub }, sections }: Program): boolean =>
  [code, launch, script, starts, sub].every((each) => each === undefined) &&
  !["tree", "follows"].some((section) => sections.has(section as Section));

/** Subcommands in each other that are read. */
const depthMax = 4;

class CommandReader {
  readonly effects: ProgramEffect[] = [];
  readonly helpers: string[] = [];
  readonly steps: string[] = [];
  readonly targets: ShellWord[] = [];
  launches: Launches | undefined;
  makes: ProgramReading["makes"];
  /** The program, with its subcommand. */
  #name: string;
  /** Where paths begin: the values of `git -C a -C b`. */
  folders: readonly ShellWord[] = [];
  /** Where the effects of the record begin: `unzip -d FOLDER`. */
  #into: ShellWord | undefined;
  #bringsNames = false;

  constructor(name: string) {
    this.#name = name;
  }

  read(words: readonly ShellWord[], program: Program, depth = 0): void {
    const split = splitWords(words, program);
    const isQuestion = words.length === 2 && split.options.some(({ spec }) => spec.section === "ends");
    this.helpers.push(...(program.entry.helpers?.split(" ") ?? []));
    this.launches ??= frontLaunches({ program, split, words }, depth);
    if (isQuestion) return;
    this.#readUnknown(split, program);
    const sub = program.sub?.get(split.operands[0]?.word.value ?? "");
    if (program.sub !== undefined && (sub !== undefined || !program.hasRoles))
      return this.#readSubcommand(split, program, { words, depth });
    const chosen = split.options.flatMap(({ spec }) => program.modes.get(spec) ?? []);
    const [mode = program] = chosen;
    // tar opens its archive before it changes its folder.
    if (program.grammar !== "tar") this.#enterFolders(split.options);
    for (const option of split.options) this.#readOption(option, mode);
    if (program.grammar === "tar") this.#enterFolders(split.options);
    this.#bringsNames = /^(?:files|copies|links)$/.test(mode.makes ?? "");
    this.#into = split.options.find(({ spec }) => spec.section === "into")?.value ?? undefined;
    if (!split.options.some(({ spec }) => spec.section === "prints")) {
      for (const effect of mode.does) this.#addFixed(effect);
      this.#addMade(mode, split);
    }
    this.#addSteps(mode.steps, split.operands.length > 0);
    const { code, script } = program.entry;
    this.launches ??= launchesOfRoles({ program: mode, split, words });
    if (script !== undefined && !onlyEdits({ program, split, words })) this.#add("code", null);
    if (mode.hasRoles) this.#readOperands(split, mode);
    else if (code?.flags !== undefined || code?.always === true) this.#add("code", null);
    else this.#add("unknown", null);
  }

  #readSubcommand(
    split: ProgramWords,
    program: Program,
    { depth, words }: { readonly words: readonly ShellWord[]; readonly depth: number },
  ): void {
    this.#enterFolders(split.options);
    for (const option of split.options) this.#readOption(option, program);
    const [first] = split.operands;
    const name = first?.word.value;
    const sub = name === undefined ? undefined : program.sub?.get(name);
    if (first === undefined) {
      for (const effect of program.does) this.#addFixed(effect);
    } else if (name === undefined || sub === undefined || depth >= depthMax) {
      this.#name += ` ${first.word.text}`;
      for (const effect of name === undefined ? [unknownEffect] : program.others) this.#addFixed(effect);
    } else {
      this.#name += ` ${name}`;
      this.read(words.slice(first.at), sub, depth + 1);
    }
  }

  #readUnknown({ unknown }: ProgramWords, program: Program): void {
    for (const { candidates, word } of unknown) {
      const isLoose = word.value === undefined && program.sections.values().every((section) => harmless.has(section));
      if (isLoose) continue;
      this.#add("unknown", word);
      for (const candidate of candidates) this.#readOption(candidate, program, true);
    }
  }

  #readOption({ name, spec, value }: ReadOption, mode: Program, isPossible = false): void {
    // What the option does depends on the mode: `tar -xf` reads its file, `tar -cf` writes it.
    const { section } = mode.options.get(spec.names[0] ?? "") ?? spec;
    // A suffix for copies, which may be a path: `sed -i../X`.
    if (section.startsWith("operands-")) return value === null ? undefined : this.#add("unknown", value);
    if (harmless.has(section) || structural.has(section)) return;
    const text = [this.#name, name, ...(value === null ? [] : [value.text])].join(" ");
    const target = value === null ? null : this.#from(value);
    const isTree = section === "rebuilds" || section.endsWith("-tree");
    if (section === "rebuilds") this.#push({ kind: "loses", target, text, ...(isPossible && { isPossible }) });
    const kind = section === "rebuilds" ? "write" : (section.replace(/-\w+$/, "") as EffectKind);
    this.#push({ kind, target, text, ...(isTree && { tree: "below" }), ...(isPossible && { isPossible }) });
  }

  #readOperands(split: ProgramWords, mode: Program): void {
    const sections = new Set(split.options.map(({ spec }) => spec.section));
    const tree = sections.has("follows") ? "follows" : sections.has("tree") ? "below" : undefined;
    const roles = mode.roles.filter(({ name }) => !isGiven(name, sections));
    const changes = [...sections].flatMap((section) =>
      section.startsWith("operands-") ? [section.slice("operands-".length) as EffectKind | "nothing"] : [],
    );
    const operands = operandsOf(split, mode, tree !== undefined);
    if (roles.slice(operands.length).some(isNeeded)) return this.#add("unknown", null);
    const places = placesOf(operands, roles);
    if (places === undefined) return this.#add("unknown", operands.find(({ word }) => isOpen(word))?.word ?? null);
    const reading: OperandReading = { mode, tree, changes, isFile: sections.has("file-target") };
    const sources: ShellWord[] = [];
    for (const { operand, role } of places) {
      if (role.name === "target") this.#readTarget(this.#from(operand.word), sources, { ...reading, role });
      else if (role.name === "revision") this.#readOperand(inRevision(operand.word), role, reading);
      else if (role.name === "prefix") {
        this.#readOperand(beginning(operand.word), role, reading);
        if (role.kind !== "write") this.#readPacked(operand.word, role, reading);
      } else if (role.name === "effect") {
        sources.push(operand.word);
        this.#readOperand(operand.word, role, reading);
      }
    }
    const target = split.options.find(({ spec }) => spec.section === "target")?.value ?? undefined;
    const role = mode.roles.find(({ name }) => name === "target");
    if (target !== undefined && role !== undefined)
      this.#readTarget(this.#from(target), sources, { ...reading, role, isFolder: true });
  }

  /** A packer also reads the file, and opens its folder. */
  #readPacked(word: ShellWord, role: Role, reading: OperandReading): void {
    const path = word.path?.includes("/") === true ? word.path.replace(/[^/]*$/, "") : ".";
    this.#readOperand(word, { ...role, kind: "read" }, reading);
    this.#readOperand(
      { ...word, value: word.value && path, path: word.path && path },
      { ...role, kind: "list" },
      reading,
    );
  }

  #readOperand(word: ShellWord, role: Role, { changes, mode, tree }: OperandReading): void {
    if (mode.readsDash && word.value === "-") return;
    if (word.isStream === true) return;
    const depth = tree ?? (role.follows ? "follows" : role.isTree ? "below" : undefined);
    const target = this.#from(word);
    const kinds = [...(changes.includes("nothing") ? [] : [role.kind]), ...changes];
    for (const kind of new Set(kinds)) {
      if (kind === undefined || kind === "nothing") continue;
      const text = `${this.#name} ${word.text}`;
      this.#push({ kind, target, text, ...(depth !== undefined && { tree: depth }) });
    }
  }

  /** The target is a file, or a folder that gets files of the names of the sources. */
  #readTarget(target: ShellWord, sources: readonly ShellWord[], { isFile, isFolder, role, tree }: TargetReading): void {
    const kind = role.kind ?? "unknown";
    const isTree = tree !== undefined || role.isTree;
    const add = (word: ShellWord, isFilled: boolean): void =>
      this.#push({
        kind,
        target: word,
        text: `${this.#name} ${word.text}`,
        ...(isTree && { tree: "below", ...(isFilled && this.#bringsNames && { brings: true }) }),
      });
    const isOnlyFolder = isFolder === true || sources.length > 1 || (!isFile && endsInDots.test(target.path ?? ""));
    // A folder that exists gets the source itself, but for the `cp` of BSD, which copies the content of `a/`.
    const isContent = sources.some(({ path }) => path?.endsWith("/") === true);
    if (isOnlyFolder) this.targets.push(target);
    if (!isOnlyFolder || isContent) add(target, isFile || isContent);
    if (!isFile) for (const source of sources) add(joined(target, lastPart(source)), true);
  }

  /** A command is at work in the folder that an option names. */
  #enterFolders(options: readonly ReadOption[]): void {
    for (const { name, spec, value } of options) {
      if (spec.section !== "folder" || value === null) continue;
      this.#push({ kind: "list", target: this.#from(value), text: `${this.#name} ${name} ${value.text}` });
      this.folders = [...this.folders, value];
    }
  }

  #addSteps(possible: readonly string[], hasOperand: boolean): void {
    const steps = possible.flatMap((step) => (!step.endsWith("?") ? step : hasOperand ? step.slice(0, -1) : []));
    this.steps.push(...steps);
    if (steps.some((step) => repositorySteps.has(step)))
      this.#addFixed({ kind: "write", target: ".git/index", isTree: false });
  }

  #addMade({ makes }: Program, { operands }: ProgramWords): void {
    if (makes === undefined || (makes === "operand" && operands.length === 0)) return;
    const isAnywhere = makes === "anything" || makes === "operand";
    this.makes = { kind: isAnywhere ? "files" : makes, isAnywhere };
  }

  #from(word: ShellWord): ShellWord {
    return this.folders.reduceRight((path, folder) => joined(folder, path), word);
  }

  #addFixed({ isTree, kind, target }: FixedEffect): void {
    const path = target === null ? null : literalWord(target);
    const word = path === null ? null : this.#from(this.#into === undefined ? path : joined(this.#into, path));
    const brings = this.#bringsNames && /^(?:write|replace)$/.test(kind);
    this.#push({
      kind,
      target: word,
      text: this.#name,
      isImplied: true,
      ...(isTree && { tree: "below", ...(brings && { brings }) }),
    });
  }

  #add(kind: EffectKind, target: ShellWord | null): void {
    this.#push({ kind, target, text: target === null ? this.#name : `${this.#name} ${target.text}` });
  }

  #push(effect: ProgramEffect): void {
    this.effects.push(effect);
  }
}

/** What the words launch, whatever the roles of the operands; undefined if the roles decide. */
function frontLaunches(command: SplitCommand, depth: number): Launches | undefined {
  const { entry } = command.program;
  if (depth === 0) return command.words[0]?.value === "git" ? opaqueIf(gitTakesCode(command)) : launchesOf(command);
  return opaqueIf(entry.launch === "opaque" || startsByOption(command));
}

const opaqueIf = (isOpaque: boolean): Launches | undefined => (isOpaque ? opaqueLaunches : undefined);

interface OperandReading {
  readonly mode: Program;
  readonly tree: "below" | "follows" | undefined;
  /** Further effects on the operands, by options. */
  readonly changes: readonly (EffectKind | "nothing")[];
  /** The target is never a folder. */
  readonly isFile: boolean;
}

interface TargetReading extends OperandReading {
  readonly role: Role;
  /** The target is a folder. */
  readonly isFolder?: true;
}

const harmless: ReadonlySet<string> = new Set(["nothing", "ends"]);
const structural: ReadonlySet<string> = new Set(
  "tree follows target file-target folder into prints pattern script selects exec mark append".split(" "),
);

const unknownEffect: FixedEffect = { kind: "unknown", isTree: false, target: null };

/** Steps of git that change the repository. */
const repositorySteps: ReadonlySet<string> = new Set(["objects", "refs", "worktree", "commit"]);

/** Those that are given, or the one that the program takes without any: `grep -r`, but not `grep`, which reads its input. */
function operandsOf(
  { operands }: ProgramWords,
  { fallback, readsDash, roles }: Program,
  walks: boolean,
): readonly ReadOperand[] {
  const takesInput = readsDash && !walks && !roles.some(({ isTree }) => isTree);
  const given = roles.filter(({ name }) => name === "pattern" || name === "script").length;
  if (operands.length > given || fallback === undefined || takesInput) return operands;
  return [...operands, { word: literalWord(fallback), at: -1 }];
}

/** Does an option take the place of the operand? `grep -e PATTERN`, `grep -f FILE`, `cp -t FOLDER` */
const isGiven = (role: Role["name"], sections: ReadonlySet<string>): boolean =>
  sections.has(role) ||
  (/^(?:pattern|script)$/.test(role) && sections.values().some((each) => each.endsWith(`-${role}`)));

/** Without such an operand the program does something else, or fails: `env` prints its variables. */
const isNeeded = ({ isOptional, kind, name }: Role): boolean =>
  !isOptional &&
  (name === "command" || (kind !== undefined && !/^(?:read|inspect|list|names|loses|nothing)$/.test(kind)));

interface PlacedOperand {
  readonly operand: ReadOperand;
  readonly role: Role;
}

/** Undefined if a word of unknown number makes the roles uncertain. */
function placesOf(operands: readonly ReadOperand[], roles: readonly Role[]): readonly PlacedOperand[] | undefined {
  const many = roles.findIndex(({ isMany, name }) => isMany || name === "command" || name === "assignments");
  const before = many < 0 ? roles : roles.slice(0, many);
  const after = many < 0 ? [] : roles.slice(many + 1);
  const open = operands.flatMap(({ word }, at) => (isOpen(word) ? [at] : []));
  const start = Math.min(before.length, operands.length);
  const end = Math.max(operands.length - after.length, start);
  // A computed word can be several words or none, so only those around it have a place, counted from their end of the list.
  if (open.some((at) => at < start || at >= end) && new Set(roles.map(({ kind }) => kind)).size > 1) return undefined;
  return operands.flatMap((operand, at): readonly PlacedOperand[] => {
    const role = at < start ? before[at] : at >= end ? after[at - end] : roles[many];
    return role === undefined ? [] : [{ operand, role }];
  });
}

/** A folder that exists: `.`, `..`, `a/..` */
const endsInDots = /(?:^|\/)\.{1,2}$/;

const isAbsolute = (path: string): boolean => /^[/~]/.test(path);

/** A path from a folder. A tilde counts only where the shell replaces it. */
function joined(folder: ShellWord, word: ShellWord): ShellWord {
  const { path, value } = word;
  if (path === undefined || isAbsolute(path)) return word;
  if (path === ".") return folder;
  if (folder.path === undefined) return { ...unknownWord(`${folder.text}/${word.text}`), isOne: true };
  const text = `${folder.path}/${path}`;
  if (value === undefined || folder.value === undefined) return { text, value: undefined, path: text, isOne: true };
  return { text, value: `${folder.value}/${value}`, path: text };
}

/** All names that begin with the word, which a packed file has without the end of its name. */
function beginning({ path, text }: ShellWord): ShellWord {
  const stem = path?.replace(/\.(?:gz|bz2|xz|zst|lzma|Z)$/, "");
  return { text, value: undefined, path: stem === undefined ? undefined : `${stem}*`, isOne: true };
}

/** The path in `HEAD:PATH` and in `:(top)PATH`; a revision without a path stays as it is, as if it were a file. */
function inRevision(word: ShellWord): ShellWord {
  const [, path] = /^[^:]*:(?:\([^)]*\)|[!^/]|[0-3]:)?(.+)$/s.exec(word.value ?? "") ?? [];
  return path === undefined ? word : literalWord(path, word.text);
}

/** The name that a source has in a folder. */
function lastPart(source: ShellWord): ShellWord {
  const { path, value } = source;
  if (path === undefined) return { ...unknownWord(source.text), isOne: true };
  const name = path.replace(/\/+$/, "").replace(/^.*\//s, "");
  if (name === "" || name === "..") return { ...unknownWord(source.text), isOne: true };
  return { text: name, value: value === undefined ? undefined : name, path: name };
}
