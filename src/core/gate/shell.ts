/**
 * Shell text -> everything in it that acts: each simple command with its words, each redirection to a file, each variable
 * that steers programs, and each place that cannot be read without running it (`opaque`).
 *
 * The text is parsed as GNU bash reads it with `bash -c` (no history expansion, no aliases) by `unbash`; nothing is run, expanded or
 * looked up. Order law: actions come in the order of the text; an inner command follows the one that launches it.
 * Code in the words of a known interpreter is opaque; what other programs do with their words and files (`make`, `npm run`) is not seen.
 */
import {
  forEachChild,
  parse,
  type Assignment,
  type Command,
  type ParsedScript,
  type Redirection,
  type SyntaxNode,
  type Word,
} from "unbash";
import { builtinEffects } from "./shell-builtins.ts";
import { ruleWords, withoutGitDash, type RuleWords } from "./git-words.ts";
import { directoryAfter, usesSearchPath, type Directories } from "./shell-directories.ts";
import { launchesOf, withPlainName, type ShellLaunch } from "./shell-launchers.ts";
import { isEvaluated, isPlainNumber, isSteeringVariable, namesCommand, type VariableValue } from "./shell-variables.ts";
import { literalWord, resolveWord, type ShellWord } from "./shell-words.ts";
import { hasHiddenCharacters, visibleText } from "./visible-text.ts";

/**
 * - `syntax`: bash would not read it, or the parser cannot
 * - `computed-name`: which program runs is known only when it runs
 * - `launcher`: a program that runs another one, or code in its words, in a way that is not read; `computed-script`: shell text made at run time
 * - `input-script`: a shell that runs its input (`curl ... | sh`)
 * - `arithmetic`, `expansion`: bash evaluates text in them as code
 * - `unreadable-characters`: control, direction or invisible characters, by which a reader sees another text than bash
 * - `confusable-name`: a command name with letters beyond ASCII
 * - `too-large`, `too-deep`: over the limits
 * - `no-text`, `working-directory`: the call has no text where its tool has it, or an argument that may say where it runs
 * - `second-text`: an argument beside the text that may be one too
 */
export type OpaqueReason =
  | "syntax"
  | "computed-name"
  | "launcher"
  | "computed-script"
  | "input-script"
  | "arithmetic"
  | "expansion"
  | "unreadable-characters"
  | "confusable-name"
  | "too-large"
  | "too-deep"
  | "no-text"
  | "working-directory"
  | "second-text";

export type ShellAction =
  | {
      readonly type: "command";
      /** The name first. Never empty. */
      readonly words: readonly ShellWord[];
      /** The words as rules mean them, where they are not those that were written. */
      readonly ruled?: RuleWords;
      /** It only launches another command, which is judged in its place where a rule allows. */
      readonly transparent: boolean;
      readonly text: string;
    }
  | { readonly type: "redirect"; readonly access: "read" | "write"; readonly target: ShellWord; readonly text: string }
  | {
      readonly type: "assignment";
      readonly name: string;
      /** A program runs the value as a command, or loads code that it names (`GIT_SSH_COMMAND`, `LD_PRELOAD`). */
      readonly namesCommand: boolean;
      readonly text: string;
    }
  | { readonly type: "opaque"; readonly reason: OpaqueReason; readonly text: string };

export interface ShellAnalysis {
  readonly actions: readonly ShellAction[];
  readonly directories: Directories;
  /** The text sets `HOME`: what `~` means in it is not known. */
  readonly setsHome: boolean;
}

export interface ShellLimits {
  /** Longer texts are opaque. Default 65,536. */
  readonly textCharsMax?: number;
  /** More actions make the text opaque. Default 1,000. */
  readonly actionsMax?: number;
}

/** Brackets within brackets, and scripts within scripts, that are still read. */
const bracketDepthMax = 100;
const scriptDepthMax = 8;

/**
 * Reads shell text.
 *
 * @example
 * ```ts
 * analyzeShell("ls && rm -rf x > log").actions.map((action) => action.text); // ["ls", "rm -rf x > log", "> log"]
 * ```
 */
export function analyzeShell(text: string, limits: ShellLimits = {}): ShellAnalysis {
  const reader = new ShellReader(limits.actionsMax ?? 1_000);
  const textCharsMax = limits.textCharsMax ?? 65_536;
  if (text.length > textCharsMax) return tooLarge(text);
  if (hasHiddenCharacters(text)) reader.add(opaque("unreadable-characters", text));
  reader.readScript(text, 0);
  reader.end();
  return { actions: reader.actions, directories: reader.directories, setsHome: reader.setsHome };
}

/**
 * Reads a command that is given as a list of words and run without a shell of its own, such as `["bash", "-lc", "ls"]`.
 *
 * @example
 * ```ts
 * analyzeWords(["bash", "-lc", "rm x"]).actions.length; // 2: bash and rm
 * ```
 */
export function analyzeWords(words: readonly string[], limits: ShellLimits = {}): ShellAnalysis {
  const reader = new ShellReader(limits.actionsMax ?? 1_000);
  const text = words.join(" ");
  if (text.length > (limits.textCharsMax ?? 65_536)) return tooLarge(text);
  if (hasHiddenCharacters(text)) reader.add(opaque("unreadable-characters", text));
  if (words.length > 0)
    reader.readWords(
      words.map((word) => literalWord(word)),
      text,
    );
  reader.end();
  return { actions: reader.actions, directories: reader.directories, setsHome: reader.setsHome };
}

const tooLarge = (text: string): ShellAnalysis => ({
  actions: [opaque("too-large", text)],
  directories: null,
  setsHome: true,
});

const builtInArrays = /^(?:BASH_.*|DIRSTACK|FUNCNAME|GROUPS|MAPFILE|PIPESTATUS|COPROC)$/;

export const opaque = (reason: OpaqueReason, text: string): ShellAction => ({
  type: "opaque",
  reason,
  text: visibleText(text),
});

/** Where a node stands: `source` is the text that its positions count in. */
interface Place {
  readonly source: string;
  readonly depth: number;
  /** Inside of something that may run more than once, or later. */
  readonly repeats: boolean;
}

class ShellReader {
  readonly actions: ShellAction[] = [];
  directories: Directories = [];
  readonly #actionsMax: number;
  /** Variables that are arrays somewhere in the text, and those that `declare` gives a value that may be a list. */
  readonly #arrays = new Set<string>();
  readonly #compound = new Map<string, string>();
  setsHome = false;
  /** `CDPATH` has a value somewhere in the text, and somewhere a folder is looked up in it. */
  #setsSearchPath = false;
  #usesSearchPath = false;

  constructor(actionsMax: number) {
    this.#actionsMax = actionsMax;
  }

  add(action: ShellAction): void {
    if (this.actions.length < this.#actionsMax) this.actions.push(action);
    else this.actions[this.#actionsMax - 1] = opaque("too-large", action.text);
  }

  /** What shows only when the whole text is read: `declare a=$y` evaluates the value where `a` is an array, also a later one. */
  end(): void {
    if (this.#setsSearchPath && this.#usesSearchPath) this.directories = null;
    for (const [name, text] of this.#compound) {
      if (this.#arrays.has(name) || builtInArrays.test(name)) this.add(opaque("arithmetic", text));
    }
  }

  readScript(text: string, depth: number, repeats = false): void {
    if (depth > scriptDepthMax || bracketDepth(text) > bracketDepthMax) {
      this.add(opaque("too-deep", text));
      return;
    }
    this.#visit(parse(text), { source: text, depth, repeats });
  }

  readWords(words: readonly ShellWord[], text: string): void {
    const place: Place = { source: text, depth: 0, repeats: false };
    this.#follow(this.#command(words, text), { text, place, input: undefined });
  }

  #visit(node: SyntaxNode, place: Place): void {
    if (this.actions.length >= this.#actionsMax) {
      this.add(opaque("too-large", place.source));
      return;
    }
    if (node.type === "Command") return this.#visitCommand(node, place);
    this.#note(node, place);
    this.#visitChildren(node, innerPlace(node, place));
  }

  #visitChildren(node: SyntaxNode, place: Place): void {
    forEachChild(node, (child) => this.#visit(child, place));
  }

  /** What the command launches comes after the substitutions in its words. */
  #visitCommand(node: Command, place: Place): void {
    const text = place.source.slice(node.pos, node.end);
    const command = node.name === undefined ? undefined : this.#command(wordsOf(node.name, node.args), text);
    this.#visitChildren(node, place);
    if (command !== undefined) this.#follow(command, { text, place, input: inputOf(node) });
  }

  /** What the node itself does, apart from its children. */
  #note(node: SyntaxNode, place: Place): void {
    const text = place.source.slice(node.pos, node.end);
    switch (node.type) {
      case "Script":
        return this.#noteErrors(node, place);
      case "Redirect":
      case "HereString":
      case "HereDoc":
        return this.#noteRedirect(node, text);
      case "Assignment":
        return this.#noteAssignment(node, text);
      case "For":
      case "Select":
        return this.#assign(
          { name: node.name.value, value: undefined },
          `${node.type.toLowerCase()} ${node.name.text}`,
        );
      case "CommandExpansion":
      case "ProcessSubstitution":
      case "ArithmeticCommandExpansion":
        if (node.script === undefined) this.add(opaque("syntax", text));
        return;
      case "ArithmeticWord":
        if (!isPlainNumber(node.value)) this.add(opaque("arithmetic", text));
        return;
      case "TestBinary":
        if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator) && !(isNumber(node.left) && isNumber(node.right))) {
          this.add(opaque("arithmetic", text));
        }
        return;
      case "TestUnary":
        if (/^-[vR]$/.test(node.operator) && !/^\w+$/.test(resolveWord(node.operand).value ?? "")) {
          this.add(opaque("arithmetic", text));
        }
        return;
      case "ParameterExpansion":
        return this.#noteParameter(node, text);
      case "Coproc":
        // Its descriptors are an array of this name.
        return void this.#arrays.add(node.name?.value ?? "COPROC");
      default:
    }
  }

  #noteErrors(script: ParsedScript, place: Place): void {
    const first = script.errors?.[0];
    if (first !== undefined) this.add(opaque("syntax", place.source.slice(first.pos)));
  }

  #noteAssignment(node: Assignment, text: string): void {
    const { append, index, name, value } = node;
    this.#assign({ name, value: append === true ? undefined : valueOf(node) }, text);
    if (index !== undefined && !isPlainNumber(index.value)) this.add(opaque("arithmetic", text));
    if (value.type !== "ArrayValue" && index === undefined) return;
    this.#arrays.add(name);
    // `a=([y]=1)` evaluates y, as `a[y]=1` does.
    const indexes = value.type === "ArrayValue" ? value.elements.filter((element) => element.text.startsWith("[")) : [];
    if (!indexes.every((element) => /^\[\d+\]/.test(element.text))) this.add(opaque("arithmetic", text));
  }

  #noteParameter(node: Extract<SyntaxNode, { type: "ParameterExpansion" }>, text: string): void {
    const { operation, index, prefix } = node;
    // `${!y}` is evaluated as `${...}` around the value of y; names (`${!y@}`) and keys (`${!y[@]}`) are only listed.
    const lists = operation?.type === "Names" || (operation === undefined && /^[@*]$/.test(index?.value ?? ""));
    if (prefix === "!" && !lists) this.add(opaque("expansion", text));
    if (index !== undefined && !/^[@*]$/.test(index.value) && !isPlainNumber(index.value))
      this.add(opaque("arithmetic", text));
    if (operation?.type === "Unknown") this.add(opaque("expansion", text));
    // Within double quotes and here-documents a single quote in `${x:-'$(c)'}` quotes nothing, and `c` runs.
    if (text.includes("'") && /\$[({]|`/.test(text.slice(2))) this.add(opaque("expansion", text));
    if (operation?.type === "Transform" && !/^[QEAKaUuLk]$/.test(resolveWord(operation.operand).value ?? "")) {
      this.add(opaque("expansion", text));
    }
    if (operation?.type === "Default" && operation.operator.endsWith("=") && index !== undefined)
      this.#arrays.add(node.parameter);
    if (operation?.type === "Default" && operation.operator.endsWith("="))
      this.#assign({ name: node.parameter, value: resolveWord(operation.operand).value }, text);
    const bounds = operation?.type === "Slice" ? [operation.offset, operation.length] : [];
    if (bounds.some((bound) => bound !== undefined && !isNumber(bound))) this.add(opaque("arithmetic", text));
  }

  #assign(variable: VariableValue, text: string): void {
    const { name, value } = variable;
    if (value !== null && value !== "") {
      this.setsHome ||= name === "HOME";
      this.#setsSearchPath ||= name === "CDPATH" || name === "cdpath";
    }
    if (isSteeringVariable(name))
      this.add({ type: "assignment", name, namesCommand: namesCommand(variable), text: visibleText(text) });
    if (isEvaluated(variable)) this.add(opaque("expansion", text));
  }

  #noteRedirect(node: Redirection, text: string): void {
    if (node.descriptor?.type === "FileDescriptorVariable") {
      const { name } = node.descriptor;
      this.#assign({ name, value: undefined }, text);
      if (name.includes("[")) this.add(opaque("arithmetic", text));
    }
    if (node.type !== "Redirect" || node.target === undefined) return;
    const target = resolveWord(node.target);
    if (/^[<>]&$/.test(node.operator) && /^\d*-?$/.test(target.value ?? "x")) return;
    if (/^\/dev\/(?:null|stdin|stdout|stderr|fd\/\d+)$/.test(target.value ?? "")) return;
    if (expandsAgain(node) && !/^[^$`\\'"~*?[]*$/.test(target.value ?? "$")) this.add(opaque("expansion", text));
    const access = node.operator === "<" || node.operator === "<&" ? "read" : "write";
    this.add({ type: "redirect", access, target, text: visibleText(text) });
  }

  /** Adds the command and what it does to the shell. */
  #command(words: readonly ShellWord[], text: string, isCovered = false): PlainCommand {
    const name = words[0]?.value;
    const plain = withoutGitDash(withPlainName(words));
    const { launches, transparent } = launchesOf(plain);
    const shown = { words, transparent: transparent || isCovered, text: visibleText(text) };
    this.add({ type: "command", ...shown, ruled: ruleWords(words) });
    if (name === undefined) this.add(opaque("computed-name", text));
    else if (!/^[\x21-\x7e]+$/.test(name)) this.add(opaque("confusable-name", text));
    const effects = builtinEffects(plain);
    for (const variable of effects.assigned) this.#assign(variable, text);
    if (effects.unreadable !== undefined) this.add(opaque("arithmetic", text));
    for (const array of effects.arrays) this.#arrays.add(array);
    for (const variable of effects.compound) this.#compound.set(variable, text);
    return { words: plain, launches };
  }

  #follow({ launches, words }: PlainCommand, from: Launching): void {
    this.#usesSearchPath ||= usesSearchPath(words);
    this.directories = directoryAfter(this.directories, words, from.place.repeats);
    // A trap or an alias runs later, and any number of times.
    const isLater = /^(?:trap|alias)$/.test(words[0]?.value ?? "");
    const reading = isLater ? { ...from, place: { ...from.place, repeats: true } } : from;
    for (const launch of launches) this.#read(launch, reading);
  }

  #read(launch: ShellLaunch, from: Launching): void {
    const { depth } = from.place;
    switch (launch.type) {
      case "command":
        if (depth >= scriptDepthMax) return this.add(opaque("too-deep", from.text));
        for (const variable of launch.assigned) this.#assign(variable, from.text);
        return this.#follow(
          this.#command(launch.words, launch.words.map((word) => word.text).join(" "), launch.isCovered),
          { ...from, place: { ...from.place, depth: depth + 1 } },
        );
      case "script":
        // Its own folder changes count for the whole text: too many candidates only make a rule more careful.
        return this.readScript(launch.text, depth + 1, from.place.repeats);
      case "input":
        if (from.input === undefined) return this.add(opaque("input-script", from.text));
        return this.readScript(from.input, depth + 1, from.place.repeats);
      case "unreadable":
        return this.add(opaque(launch.why.includes("computed") ? "computed-script" : "launcher", from.text));
      default:
    }
  }
}

/** Bash expands the target of `>&` once more where output goes to it: substitutions, quotes and tildes in the result count. */
const expandsAgain = ({ descriptor, operator }: Redirection): boolean =>
  operator === ">&" && (descriptor === undefined || (descriptor.type === "FileDescriptor" && descriptor.value === 1));

interface PlainCommand {
  /** Its words, the name without its folder. */
  readonly words: readonly ShellWord[];
  readonly launches: readonly ShellLaunch[];
}

interface Launching {
  readonly text: string;
  readonly place: Place;
  /** The text that the command reads, where it stands in the script as it is. */
  readonly input: string | undefined;
}

/** Undefined where the shell computes it, as the elements of a list. */
const valueOf = ({ value }: Assignment): string | undefined =>
  value.type === "Word" ? resolveWord(value).value : undefined;

const isNumber = (word: Word): boolean => isPlainNumber(resolveWord(word).value ?? "x");

function wordsOf(name: Word, args: Command["args"]): readonly ShellWord[] {
  const rest = args.map((argument): ShellWord => {
    if (argument.type === "Word") return resolveWord(argument);
    const value = argument.value.type === "Word" ? resolveWord(argument.value).value : undefined;
    const whole = value === undefined ? undefined : `${argument.name}${argument.append === true ? "+" : ""}=${value}`;
    const resolved = { text: argument.text, value: argument.index === undefined ? whole : undefined, path: whole };
    return argument.value.type === "Word" ? resolved : { ...resolved, isList: true };
  });
  return [resolveWord(name), ...rest];
}

/** The last redirection of the input decides, as in bash. */
function inputOf(node: Command): string | undefined {
  const last = node.redirects.findLast((redirect) => redirect.type !== "Redirect" || redirect.operator.startsWith("<"));
  if (last === undefined || last.type === "Redirect" || last.descriptor !== undefined) return undefined;
  if (last.type === "HereString") return last.target === undefined ? undefined : resolveWord(last.target).value;
  const { body, delimiter, operator } = last;
  if (delimiter?.quoted !== true && (body.parts !== undefined || /[\\$`]/.test(body.text))) return undefined;
  return operator === "<<-" ? body.text.replaceAll(/^\t+/gm, "") : body.text;
}

function innerPlace(node: SyntaxNode, place: Place): Place {
  if (node.type === "Script" && node.source !== undefined) return { ...place, source: node.source };
  if (place.repeats) return place;
  const repeats = ["While", "For", "ArithmeticFor", "Select", "Function", "Coproc"].includes(node.type);
  return repeats ? { ...place, repeats } : place;
}

/** Counted without a look at quotes: a text of thousands of openers costs the parser seconds. */
function bracketDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x28 || code === 0x7b) deepest = Math.max(deepest, (depth += 1));
    else if ((code === 0x29 || code === 0x7d) && depth > 0) depth -= 1;
  }
  return deepest;
}
