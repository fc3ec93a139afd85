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
  type For,
  type ArithmeticFor,
  type ParsedScript,
  type Pipeline,
  type Redirection,
  type SyntaxNode,
  type Word,
} from "unbash";
import { CommandChain } from "./command-chain.ts";
import { opaque, type ShellAction } from "./shell-actions.ts";
import { unreadAnalysis, type ShellAnalysis } from "./shell-analysis.ts";
import { builtinEffects } from "./shell-builtins.ts";
import { isOfProject, readCommand } from "./effects.ts";
import { ruleWords, withoutGitDash } from "./git-words.ts";
import { afterRounds, directoryAfter, usesSearchPath, type Directories } from "./shell-directories.ts";
import { printedDocument, readsElsewhere } from "./shell-inputs.ts";
import {
  bracketDepth,
  evaluatedIn,
  expandsAgain,
  hidesExpansion,
  loopHeader,
  inputOf,
  mayRunQualifier,
  runsApart,
  valueOf,
} from "./shell-nodes.ts";
import { noLaunches, type ShellLaunch } from "./launches.ts";
import type { Launching, TextPlace, PlainCommand } from "./shell-places.ts";
import { insideBrackets, isArithmetic, numberOperand, ScopeFacts, type ShellScope } from "./shell-scope.ts";
import { isEvaluated, isPlainNumber, isSteeringVariable, namesCommand, type VariableValue } from "./shell-variables.ts";
import { literalWord, resolveWord, valueAt, withPlainName, type ShellWord } from "./shell-words.ts";
import { isUnknownProgram, startedWords, StartedWords } from "./shell-wrappers.ts";
import { filesReadBy } from "./small-programs.ts";
import { hasHiddenCharacters, visibleText } from "./visible-text.ts";

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
 * `analyzeShell("ls && rm -rf x > log").actions.map((action) => action.text); // ["ls", "rm -rf x > log", "> log"]`
 */
export const analyzeShell = (text: string, limits: ShellLimits = {}): ShellAnalysis =>
  analyze(text, limits, (reader) => reader.readScript(text, 0));

/**
 * Reads a command that is given as a list of words and run without a shell, such as `["bash", "-lc", "ls"]`.
 * `analyzeWords(["bash", "-lc", "rm x"]).actions.length; // 2: bash and rm`
 */
export function analyzeWords(words: readonly string[], limits: ShellLimits = {}): ShellAnalysis {
  const text = words.join(" ");
  const literals = words.map((word) => literalWord(word));
  return analyze(text, limits, (reader) => words.length > 0 && reader.readWords(literals, text));
}

function analyze(text: string, limits: ShellLimits, read: (reader: ShellReader) => void): ShellAnalysis {
  const { actionsMax = 1_000, textCharsMax = 65_536 } = limits;
  if (text.length > textCharsMax) return unreadAnalysis(opaque("too-large", text));
  const readWith = (scope?: ShellScope): ShellReader => {
    const reader = new ShellReader(actionsMax, scope);
    if (hasHiddenCharacters(text)) reader.add(opaque("unreadable-characters", text));
    read(reader);
    reader.end();
    return reader;
  };
  // The first reading finds out how the text sets its variables, the second one knows their values.
  const first = readWith();
  const scope = first.scope();
  const { actions, directories, folders, isInOrder, setsHome } = scope === undefined ? first : readWith(scope);
  return { actions, directories, folders, isInOrder, setsHome };
}

const builtInArrays = /^(?:BASH_.*|DIRSTACK|FUNCNAME|GROUPS|MAPFILE|PIPESTATUS|COPROC)$/;

class ShellReader {
  readonly actions: ShellAction[] = [];
  directories: Directories = [];
  readonly #chain = new CommandChain();
  readonly folders: ReadonlyMap<ShellAction, string> = this.#chain.folders;
  readonly #actionsMax: number;
  /** Variables that are arrays anywhere in the text, and those to which `declare` assigns a value that may be a list. */
  readonly #arrays = new Set<string>();
  readonly #compound = new Map<string, string>();
  setsHome = false;
  isInOrder = true;
  /** The text sets `CDPATH`, and it has a `cd` that searches it. */
  #setsSearchPath = false;
  #usesSearchPath = false;
  readonly #facts = new ScopeFacts();
  /** Undefined in a text for another shell, which does not know the variables. */
  #scope: ShellScope | undefined;
  /** The commands of each subshell in a loop. */
  readonly #rounds: (readonly ShellWord[])[][] = [];
  /** What the commands before a pipe print, if the text contains it. */
  readonly #piped = new Map<SyntaxNode, string>();

  /** `scope`: what an earlier reading found out. */
  constructor(actionsMax: number, scope?: ShellScope) {
    this.#actionsMax = actionsMax;
    this.#scope = scope;
  }

  scope(): ShellScope | undefined {
    return this.#facts.scope(this.#arrays);
  }

  add(action: ShellAction): void {
    if (this.actions.length < this.#actionsMax) this.actions.push(action);
    else this.actions[this.#actionsMax - 1] = opaque("too-large", action.text);
  }

  /** Checks that need the whole text: `declare a=$y` evaluates the value if `a` is an array, even one that is declared later. */
  end(): void {
    this.directories = afterRounds(this.directories, this.#rounds);
    if (this.#setsSearchPath && this.#usesSearchPath) this.directories = null;
    if (this.directories === null || !this.#facts.isPlain) this.#chain.folders.clear();
    for (const [name, text] of this.#compound) {
      if (this.#arrays.has(name) || builtInArrays.test(name)) this.add(opaque("arithmetic", text));
    }
  }

  readScript(text: string, depth: number, repeats = false): void {
    if (depth > scriptDepthMax || bracketDepth(text) > bracketDepthMax) return this.add(opaque("too-deep", text));
    const scope = this.#scope;
    if (depth > 0) this.#scope = undefined;
    try {
      this.#visit(parse(text), { source: text, depth, repeats, isTop: depth === 0 });
    } catch (error) {
      // The parser follows `coproc coproc ...` and its like without a limit of its own, until the stack is full.
      if (!(error instanceof RangeError)) throw error;
      this.add(opaque("too-deep", text));
    }
    this.#scope = scope;
  }

  readWords(words: readonly ShellWord[], text: string): void {
    const place: TextPlace = { source: text, depth: 0, repeats: false };
    this.#follow(this.#command(words, text), { text, place, input: undefined });
  }

  #visit(node: SyntaxNode, place: TextPlace): void {
    if (this.actions.length >= this.#actionsMax) return this.add(opaque("too-large", place.source));
    this.#facts.noteNode(node);
    this.isInOrder &&= !runsApart(node);
    if (node.type === "Command") return this.#visitCommand(node, place);
    if (this.#isReadableArithmetic(node, place)) return;
    this.#note(node, place);
    if (node.type === "For") return this.#visitLoop(node, place);
    if (node.type === "ArithmeticFor") return this.#visitCounting(node, place);
    const inner = this.#innerPlace(node, place);
    if (inner.isRound === true && place.isRound !== true) this.#rounds.push([]);
    if (node.type === "Statement" && place.isTop === true) this.#chain.enter(node, this.directories?.length === 0);
    this.#visitChildren(node, inner);
    if (node.type === "Statement" && place.isTop === true && node.background !== true) this.#noteSet(node.command);
  }

  /** The body is read once for each item, if those are known. */
  #visitLoop(node: For, place: TextPlace): void {
    const inner = this.#innerPlace(node, place);
    const items = node.wordlist?.map((word) => this.#word(word));
    this.#facts.enterLoop(node);
    for (const word of node.wordlist ?? []) this.#visit(word, inner);
    const start = this.actions.length;
    const readBody = (): void => this.#visit(node.body, inner);
    if (items === undefined || this.#scope?.readItems(node, items, readBody) !== true) readBody();
    else
      this.actions.push(
        ...new Map(this.actions.splice(start).map((action) => [JSON.stringify(action), action])).values(),
      );
    this.#facts.leaveLoop();
  }

  #innerPlace(node: SyntaxNode, outer: TextPlace): TextPlace {
    if (node.type === "Script") return node.source === undefined ? outer : { ...outer, source: node.source };
    const place = { ...outer, isTop: false };
    // Without functions, what a subshell does to its folder ends with it.
    if (node.type === "Subshell" && place.repeats && this.#scope !== undefined)
      return { ...place, repeats: false, isRound: true };
    const repeats = ["While", "For", "ArithmeticFor", "Select", "Function", "Coproc"].includes(node.type);
    return repeats ? { ...place, repeats } : place;
  }

  #wordsOf(name: Word, args: Command["args"]): readonly ShellWord[] {
    const rest = args.map((argument): ShellWord => {
      if (argument.type === "Word") return this.#word(argument);
      const value = argument.value.type === "Word" ? this.#word(argument.value).value : undefined;
      const whole = value === undefined ? undefined : `${argument.name}${argument.append === true ? "+" : ""}=${value}`;
      const resolved = { text: argument.text, value: argument.index === undefined ? whole : undefined, path: whole };
      return argument.value.type === "Word" ? resolved : { ...resolved, isList: true };
    });
    return [this.#word(name), ...rest];
  }

  #isNumber(word: Word): boolean {
    if (isPlainNumber(this.#word(word).value ?? "x")) return true;
    const operand = numberOperand(word.text);
    return operand !== undefined && this.#scope?.isReadable(operand) === true;
  }

  #notePipes({ commands }: Pipeline): void {
    if (this.#scope === undefined) return;
    for (const [at, command] of commands.entries()) {
      const before = commands[at - 1];
      const printed = before === undefined ? undefined : printedDocument(before);
      if (printed !== undefined && command.type === "Command" && !readsElsewhere(command))
        this.#piped.set(command, printed);
    }
  }

  #word(word: Word): ShellWord {
    return resolveWord(word, this.#scope);
  }

  /** Bash calculates with numbers alone. */
  #isReadableArithmetic(node: SyntaxNode, place: TextPlace): boolean {
    if (node.type !== "ArithmeticExpansion" && node.type !== "ArithmeticCommand") return false;
    const inside = insideBrackets(place.source.slice(node.pos, node.end));
    this.#facts.noteArithmetic(inside);
    return this.#scope?.isReadable(inside) === true;
  }

  #visitCounting(node: ArithmeticFor, place: TextPlace): void {
    const header = loopHeader(place.source.slice(node.pos, node.body.pos));
    this.#facts.noteArithmetic(header);
    const inner = this.#innerPlace(node, place);
    const isRead = this.#scope?.readCounting(header, () => this.#visit(node.body, inner)) === true;
    if (!isRead) this.#visitChildren(node, inner);
  }

  /** A command that only sets variables, alone or before `&&`, has run when the next one does. */
  #noteSet(node: SyntaxNode): void {
    const first = node.type === "AndOr" ? node.commands[0] : node;
    if (first?.type !== "Command" || first.name !== undefined || first.redirects.length > 0) return;
    const set = first.prefix.filter((part) => part.type === "Assignment");
    if (set.some((part) => part.append === true || part.index !== undefined)) return;
    this.#scope?.noteSet(set.map((part) => ({ name: part.name, value: valueOf(part) })));
  }

  #visitChildren(node: SyntaxNode, place: TextPlace): void {
    forEachChild(node, (child) => this.#visit(child, place));
  }

  /** Launched commands follow the substitutions in the words. */
  #visitCommand(node: Command, place: TextPlace): void {
    const text = place.source.slice(node.pos, node.end);
    const command = node.name === undefined ? undefined : this.#command(this.#wordsOf(node.name, node.args), text);
    this.#visitChildren(node, { ...place, isNamed: command !== undefined });
    const input = inputOf(node) ?? this.#piped.get(node);
    if (command === undefined) return;
    const before = this.directories;
    const follow = this.#chain.begin(node, command);
    this.#follow(command, { text, place, input });
    follow(this.directories !== before);
  }

  /** Adds the actions of the node itself, without its children. */
  #note(node: SyntaxNode, place: TextPlace): void {
    const text = place.source.slice(node.pos, node.end);
    switch (node.type) {
      case "Script":
        return this.#noteErrors(node, place);
      case "Redirect":
      case "HereString":
      case "HereDoc":
        return this.#noteRedirect(node, text, place.isNamed === true);
      case "Word":
        if (hidesExpansion(node) || mayRunQualifier(node)) this.add(opaque("syntax", text));
        return;
      case "Assignment":
        return this.#noteAssignment(node, text);
      case "For":
        return this.#steer({ name: node.name.value, value: undefined }, `for ${node.name.text}`);
      case "Select":
        return this.#assign({ name: node.name.value, value: undefined }, `select ${node.name.text}`);
      case "Pipeline":
        return this.#notePipes(node);
      case "CommandExpansion":
      case "ProcessSubstitution":
      case "ArithmeticCommandExpansion":
        if (node.script === undefined) this.add(opaque("syntax", text));
        return;
      case "ArithmeticWord":
        if (!isPlainNumber(node.value)) this.add(opaque("arithmetic", text));
        return;
      case "TestBinary":
        if (
          /^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator) &&
          ![node.left, node.right].every((word) => this.#isNumber(word))
        ) {
          this.add(opaque("arithmetic", text));
        }
        return;
      case "TestUnary":
        if (/^-[vR]$/.test(node.operator) && !/^\w+$/.test(resolveWord(node.operand).value ?? ""))
          this.add(opaque("arithmetic", text));
        return;
      case "ParameterExpansion":
        return this.#noteParameter(node, text);
      case "Coproc":
        // Its descriptors are an array of this name.
        return void this.#arrays.add(node.name?.value ?? "COPROC");
      default:
    }
  }

  #noteErrors(script: ParsedScript, place: TextPlace): void {
    const first = script.errors?.[0];
    if (first !== undefined) this.add(opaque("syntax", place.source.slice(first.pos)));
  }

  #noteAssignment(node: Assignment, text: string): void {
    const { append, index, name, value } = node;
    const isNumber = append !== true && index === undefined && value.type === "Word" && isArithmetic(value);
    this.#assign({ name, value: append === true ? undefined : valueOf(node) }, text, isNumber ? "number" : undefined);
    if (index !== undefined && !isPlainNumber(index.value)) this.add(opaque("arithmetic", text));
    // `a=(x)y` is a word to bash, too, but the parser does not read what is in the brackets.
    if (value.type === "Word" && value.text.startsWith("(")) this.add(opaque("syntax", text));
    if (value.type !== "ArrayValue" && index === undefined) return;
    this.#arrays.add(name);
    // `a=([y]=1)` evaluates y, as `a[y]=1` does.
    const indexes = value.type === "ArrayValue" ? value.elements.filter((element) => element.text.startsWith("[")) : [];
    if (!indexes.every((element) => /^\[\d+\]/.test(element.text))) this.add(opaque("arithmetic", text));
  }

  #noteParameter(node: Extract<SyntaxNode, { type: "ParameterExpansion" }>, text: string): void {
    for (const reason of evaluatedIn(node, text)) this.add(opaque(reason, text));
    const { operation, index } = node;
    if (operation?.type !== "Default" || !operation.operator.endsWith("=")) return;
    if (index !== undefined) this.#arrays.add(node.parameter);
    this.#assign({ name: node.parameter, value: resolveWord(operation.operand).value }, text);
  }

  #assign(variable: VariableValue, text: string, setting?: "number"): void {
    this.#facts.noteSetting(variable, setting);
    this.#steer(variable, text);
  }

  /** What the variable does to programs and to the shell. */
  #steer(variable: VariableValue, text: string): void {
    const { name, value } = variable;
    if (value !== null && value !== "") {
      this.setsHome ||= name === "HOME";
      this.#setsSearchPath ||= name === "CDPATH" || name === "cdpath";
    }
    if (isSteeringVariable(variable))
      this.add({ type: "assignment", name, namesCommand: namesCommand(variable), text: visibleText(text) });
    if (isEvaluated(variable)) this.add(opaque("expansion", text));
  }

  #noteRedirect(node: Redirection, text: string, isFirst: boolean): void {
    if (node.descriptor?.type === "FileDescriptorVariable") {
      this.#assign({ name: node.descriptor.name, value: undefined }, text);
      if (node.descriptor.name.includes("[")) this.add(opaque("arithmetic", text));
    }
    if (node.type !== "Redirect" || node.target === undefined) return;
    const target = this.#word(node.target);
    if (target.isStream === true) return;
    if (/^[<>]&$/.test(node.operator) && /^\d*-?$/.test(target.value ?? "x")) return;
    if (/^\/dev\/(?:null|stdin|stdout|stderr|fd\/\d+)$/.test(target.value ?? "")) return;
    // zsh reads `>! x` as `>| x`.
    if (node.target.text.startsWith("!")) this.add(opaque("syntax", text));
    if (expandsAgain(node) && !/^[^$`\\'"~*?[]*$/.test(target.value ?? "$")) this.add(opaque("expansion", text));
    const access = node.operator === "<" || node.operator === "<&" ? "read" : "write";
    this.add({ type: "redirect", access, target, ...(isFirst && { isFirst }), text: visibleText(text) });
  }

  /** Adds the command and what it does to the shell. */
  #command(words: readonly ShellWord[], text: string, isCovered = false): PlainCommand {
    const name = words[0]?.value;
    const plain = withoutGitDash(withPlainName(words));
    const reading = readCommand(plain);
    const { launches, transparent } = reading ?? noLaunches;
    const isRun = isCovered && (reading === undefined || isOfProject(reading));
    const shown = { words, transparent: transparent || isRun, text: visibleText(text) };
    const plainName = plain[0]?.value;
    const isUnknown = plain.length > 1 && plainName !== undefined && isUnknownProgram(plainName);
    const started = isUnknown ? { started: new StartedWords(startedWords(plain)) } : {};
    const action = {
      type: "command",
      ...shown,
      ruled: ruleWords(words),
      ...started,
      ...(reading && { reading }),
      ...(isCovered && { isCovered }),
    } as const;
    this.add(action);
    if (name === undefined) this.add(opaque("computed-name", text));
    else if (!/^[\x21-\x7e]+$/.test(name)) this.add(opaque("confusable-name", text));
    this.#facts.noteCommand(plainName);
    const effects = builtinEffects(plain);
    for (const variable of effects.assigned) this.#assign(variable, text);
    if (effects.isOpaque) this.add(opaque("arithmetic", text));
    for (const array of effects.arrays) this.#arrays.add(array);
    for (const variable of effects.compound) this.#compound.set(variable, text);
    return { action, words: plain, launches };
  }

  #follow({ launches, words }: PlainCommand, from: Launching): void {
    this.#usesSearchPath ||= usesSearchPath(words);
    if (from.place.isRound === true) this.#rounds.at(-1)?.push(words);
    else this.directories = directoryAfter(this.directories, words, from.place.repeats);
    // A trap or an alias runs later, any number of times.
    const isLater = /^(?:trap|alias)$/.test(valueAt(words, 0));
    this.isInOrder &&= !isLater;
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
      case "program":
        return this.#readProgram(launch, from);
      case "sourced":
        return this.#noteSourced(from);
      case "opaque":
        return this.add(opaque(launch.reason, from.text));
      default:
    }
  }

  #readProgram({ language, text }: Extract<ShellLaunch, { type: "program" }>, from: Launching): void {
    const program = text ?? from.input;
    const files = program === undefined ? undefined : filesReadBy(language, program);
    if (files === undefined) return this.add(opaque("launcher", from.text));
    for (const file of files) {
      // A file of a name that begins with a tilde is not in a home.
      const target = literalWord(file, `"${file}"`);
      this.add({ type: "redirect", access: "read", target, text: visibleText(`read ${file}`) });
    }
  }

  /** Nothing in the text can have written the file, and it is where the text starts. */
  #noteSourced({ place, text }: Launching): void {
    const isFirst = this.actions.length === 1 && place.depth === 0 && !place.repeats;
    if (!isFirst) this.add(opaque("launcher", text));
  }
}
