/**
 * Reads shell text into actions: each simple command with its words, each redirection to a file, each assignment to a variable
 * that influences programs, and each part that cannot be understood without running it (`opaque`).
 *
 * `unbash` parses the text as `bash -c` does (no history expansion, no aliases); nothing is run or expanded.
 * Order: actions follow the text; an inner command follows the command that launches it.
 * Limits: code in the arguments of a known interpreter is opaque; what other programs do with their arguments (`make`, `npm run`) is
 * not analysed.
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
import { isUnknownProgram, launchesOf, withPlainName, type ShellLaunch } from "./shell-launchers.ts";
import { isEvaluated, isPlainNumber, isSteeringVariable, namesCommand, type VariableValue } from "./shell-variables.ts";
import { literalWord, resolveWord, type ShellWord } from "./shell-words.ts";
import { startedWords } from "./shell-wrappers.ts";
import { hasHiddenCharacters, visibleText } from "./visible-text.ts";

/**
 * - `syntax`: bash rejects it, or the parser does
 * - `computed-name`: the program is only known at run time
 * - `launcher`: a program that runs another one, or code in its arguments, in a way that is not analysed
 * - `computed-script`: shell text that is made at run time
 * - `input-script`: a shell that runs its input (`curl ... | sh`)
 * - `arithmetic`, `expansion`: bash evaluates text in them as code
 * - `unreadable-characters`: control, bidirectional or invisible characters, which show people another text than bash reads
 * - `confusable-name`: a command name with non-ASCII letters
 * - `too-large`, `too-deep`: over the limits
 * - `program`: a program of another language, which may call other tools, or keys for a program that runs already
 * - `no-text`: the call has no text at its tool's pointer
 * - `working-directory`: an argument may change where the text runs
 * - `second-text`: an argument beside the text may be shell text too
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
  | "program"
  | "no-text"
  | "working-directory"
  | "second-text";

export type ShellAction =
  | {
      readonly type: "command";
      /** The name first. Never empty. */
      readonly words: readonly ShellWord[];
      /** The words that rules match, if they differ from those that were written. */
      readonly ruled?: RuleWords;
      /** It only launches another command, which is judged by itself: no rule needs to allow this one. */
      readonly transparent: boolean;
      /** The words that a program which is in no table may start as commands. */
      readonly started?: readonly ShellWord[];
      readonly text: string;
    }
  | { readonly type: "redirect"; readonly access: "read" | "write"; readonly target: ShellWord; readonly text: string }
  | {
      readonly type: "assignment";
      readonly name: string;
      /** A program runs the value as a command, or loads the code it names (`GIT_SSH_COMMAND`, `LD_PRELOAD`). */
      readonly namesCommand: boolean;
      readonly text: string;
    }
  | { readonly type: "opaque"; readonly reason: OpaqueReason; readonly text: string };

export interface ShellAnalysis {
  readonly actions: readonly ShellAction[];
  readonly directories: Directories;
  /** The text sets `HOME`, so the meaning of `~` in it is unknown. */
  readonly setsHome: boolean;
}

export interface ShellLimits {
  /** Longer texts are opaque. Default 65,536. */
  readonly textCharsMax?: number;
  /** More actions make the text opaque. Default 1,000. */
  readonly actionsMax?: number;
}

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
export const analyzeShell = (text: string, limits: ShellLimits = {}): ShellAnalysis =>
  analyze(text, limits, (reader) => reader.readScript(text, 0));

/**
 * Reads a command that is given as a list of words and run without a shell, such as `["bash", "-lc", "ls"]`.
 *
 * @example
 * ```ts
 * analyzeWords(["bash", "-lc", "rm x"]).actions.length; // 2: bash and rm
 * ```
 */
export function analyzeWords(words: readonly string[], limits: ShellLimits = {}): ShellAnalysis {
  const text = words.join(" ");
  const literals = words.map((word) => literalWord(word));
  return analyze(text, limits, (reader) => words.length > 0 && reader.readWords(literals, text));
}

function analyze(text: string, limits: ShellLimits, read: (reader: ShellReader) => void): ShellAnalysis {
  const { actionsMax = 1_000, textCharsMax = 65_536 } = limits;
  if (text.length > textCharsMax) return { actions: [opaque("too-large", text)], directories: null, setsHome: true };
  const reader = new ShellReader(actionsMax);
  if (hasHiddenCharacters(text)) reader.add(opaque("unreadable-characters", text));
  read(reader);
  reader.end();
  return { actions: reader.actions, directories: reader.directories, setsHome: reader.setsHome };
}

const builtInArrays = /^(?:BASH_.*|DIRSTACK|FUNCNAME|GROUPS|MAPFILE|PIPESTATUS|COPROC)$/;

export const opaque = (reason: OpaqueReason, text: string): ShellAction => ({
  type: "opaque",
  reason,
  text: visibleText(text),
});

interface Place {
  /** The text that the positions of the node refer to. */
  readonly source: string;
  readonly depth: number;
  /** Inside something that may run more than once, or later. */
  readonly repeats: boolean;
}

class ShellReader {
  readonly actions: ShellAction[] = [];
  directories: Directories = [];
  readonly #actionsMax: number;
  /** Variables that are arrays anywhere in the text, and those to which `declare` assigns a value that may be a list. */
  readonly #arrays = new Set<string>();
  readonly #compound = new Map<string, string>();
  setsHome = false;
  /** The text sets `CDPATH`, and it has a `cd` that searches it. */
  #setsSearchPath = false;
  #usesSearchPath = false;

  constructor(actionsMax: number) {
    this.#actionsMax = actionsMax;
  }

  add(action: ShellAction): void {
    if (this.actions.length < this.#actionsMax) this.actions.push(action);
    else this.actions[this.#actionsMax - 1] = opaque("too-large", action.text);
  }

  /** Checks that need the whole text: `declare a=$y` evaluates the value if `a` is an array, even one that is declared later. */
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

  /** Launched commands follow the substitutions in the words. */
  #visitCommand(node: Command, place: Place): void {
    const text = place.source.slice(node.pos, node.end);
    const command = node.name === undefined ? undefined : this.#command(wordsOf(node.name, node.args), text);
    this.#visitChildren(node, place);
    if (command !== undefined) this.#follow(command, { text, place, input: inputOf(node) });
  }

  /** Adds the actions of the node itself, without its children. */
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
    // `${!y}` expands the value of y again; `${!y@}` and `${!y[@]}` only list names and keys.
    const lists = operation?.type === "Names" || (operation === undefined && /^[@*]$/.test(index?.value ?? ""));
    if (prefix === "!" && !lists) this.add(opaque("expansion", text));
    if (index !== undefined && !/^[@*]$/.test(index.value) && !isPlainNumber(index.value))
      this.add(opaque("arithmetic", text));
    if (operation?.type === "Unknown") this.add(opaque("expansion", text));
    // Within double quotes and here-documents the single quotes of `${x:-'$(c)'}` do not quote: `c` runs.
    if (text.includes("'") && /\$[({]|`/.test(text.slice(2))) this.add(opaque("expansion", text));
    // There double quotes end without a trace, so that the dollar of `${x:-"$"(c)}` joins the bracket: `c` runs.
    if (text.includes('"') && substitutions(text.replaceAll('"', "")) !== substitutions(text))
      this.add(opaque("expansion", text));
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
    const plainName = plain[0]?.value;
    const isUnknown = plain.length > 1 && plainName !== undefined && isUnknownProgram(plainName);
    const started = isUnknown ? { started: startedWords(plain) } : {};
    this.add({ type: "command", ...shown, ruled: ruleWords(words), ...started });
    if (name === undefined) this.add(opaque("computed-name", text));
    else if (!/^[\x21-\x7e]+$/.test(name)) this.add(opaque("confusable-name", text));
    const effects = builtinEffects(plain);
    for (const variable of effects.assigned) this.#assign(variable, text);
    if (effects.isOpaque) this.add(opaque("arithmetic", text));
    for (const array of effects.arrays) this.#arrays.add(array);
    for (const variable of effects.compound) this.#compound.set(variable, text);
    return { words: plain, launches };
  }

  #follow({ launches, words }: PlainCommand, from: Launching): void {
    this.#usesSearchPath ||= usesSearchPath(words);
    this.directories = directoryAfter(this.directories, words, from.place.repeats);
    // A trap or an alias runs later, any number of times.
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
        // Its directory changes apply to the whole text: extra candidates only make rules stricter.
        return this.readScript(launch.text, depth + 1, from.place.repeats);
      case "input":
        if (from.input === undefined) return this.add(opaque("input-script", from.text));
        return this.readScript(from.input, depth + 1, from.place.repeats);
      case "statements":
        if (from.input === undefined) return this.add(opaque("input-script", from.text));
        return launch.code.test(from.input) ? this.add(opaque("launcher", from.text)) : undefined;
      case "opaque":
        return this.add(opaque(launch.reason, from.text));
      default:
    }
  }
}

/** Bash expands the target of an output `>&` twice: substitutions, quotes and tildes in the result of the first have an effect. */
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
  /** The command's input, if the script contains it literally. */
  readonly input: string | undefined;
}

/** Undefined if the shell computes it, such as the elements of a list. */
const valueOf = ({ value }: Assignment): string | undefined =>
  value.type === "Word" ? resolveWord(value).value : undefined;

const substitutions = (text: string): number => text.match(/\$[({[]|`/g)?.length ?? 0;

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

/** The last input redirection applies, as in bash. */
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

/** Ignores quotes. Checked first because thousands of open brackets cost the parser seconds. */
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
