/**
 * What a shell text itself says about its variables and programs: a variable that it sets only to numbers, the item of a loop. Nothing is
 * taken from outside of the text, because the value of a variable that it does not set can be code (`x='a[$(rm x)]'; echo $((x))`).
 */
import type { ArithmeticExpansionPart, For, SyntaxNode, Word } from "unbash";
import type { VariableValue } from "./shell-variables.ts";
import type { ShellWord } from "./shell-words.ts";

/** How a text sets a variable. */
type Setting = "number" | "loop" | "number-loop" | "other";

/** Commands that can change what a name means, or set variables at any time later. */
const changesNames = /^(?:\.|alias|enable|eval|hash|source|trap|unalias)$/;

/** The shell sets the others by itself. */
const ownName = /^[a-z][a-z0-9_]*$/i;
const shellNames =
  /^(?:BASH.*|COLUMNS|COMP.*|COPROC|DIRSTACK|EPOCH.*|EUID|FUNCNAME|GROUPS|HIST.*|HOST.*|IFS|LINES|LINENO|MAPFILE|OLDPWD|OPT.*|PATH|PIPESTATUS|PPID|PS\d|PWD|RANDOM|READLINE.*|REPLY|SECONDS|SHELLOPTS|SRANDOM|UID)$/;

/** Collects how a text sets its variables while it is read for the first time. */
export class ScopeFacts {
  readonly #settings = new Map<string, Set<Setting>>();
  readonly #openLoops: string[] = [];
  #isPlain = true;
  #setsSplitting = false;
  /** It has something that reading with a scope can explain. */
  #isUseful = false;

  noteNode(node: SyntaxNode): void {
    if (node.type === "Function" || node.type === "Coproc") this.#isPlain = false;
    this.#isUseful ||= /^(?:For|Arithmetic.*|CommandExpansion|Pipeline|Assignment)$/.test(node.type);
  }

  /** A name in arithmetic that may set something counts as set. */
  noteArithmetic(text: string): void {
    if (!/(?<![=!<>])=(?!=)|<<=|>>=|\+\+|--/.test(text)) return;
    for (const [name] of text.matchAll(/[A-Za-z_]\w*/g)) this.noteSetting({ name, value: undefined }, "number");
  }

  noteCommand(name: string | undefined): void {
    if (name === undefined || changesNames.test(name)) this.#isPlain = false;
  }

  noteSetting({ name, value }: VariableValue, setting?: Setting): void {
    if (name === "IFS") this.#setsSplitting = true;
    if (name === "PATH") this.#isPlain = false;
    const isNumber = typeof value === "string" && /^\d+$/.test(value);
    const known = this.#settings.get(name) ?? new Set();
    this.#settings.set(name, known.add(setting ?? (isNumber ? "number" : "other")));
  }

  /** Within a loop over the same name the item is not that of the outer one afterwards. */
  enterLoop(node: For): void {
    const { value } = node.name;
    const items = node.wordlist ?? [];
    const isNumbers = items.length > 0 && items.every((item) => /^\d+$/.test(item.text));
    this.noteSetting({ name: value, value: undefined }, isNumbers ? "number-loop" : "loop");
    if (this.#openLoops.includes(value)) this.noteSetting({ name: value, value: undefined }, "other");
    this.#openLoops.push(value);
  }

  leaveLoop(): void {
    this.#openLoops.pop();
  }

  /** The text gives no name another meaning: it has no functions, aliases or traps. */
  get isPlain(): boolean {
    return this.#isPlain;
  }

  /** Undefined if the text sets nothing in a way that says more. `arrays`: an element of them is no whole variable. */
  scope(arrays: ReadonlySet<string>): ShellScope | undefined {
    if (!this.#isPlain || !this.#isUseful) return undefined;
    const only = (wanted: RegExp): ReadonlySet<string> =>
      new Set(
        [...this.#settings]
          .filter(
            ([name, settings]) =>
              !arrays.has(name) &&
              ownName.test(name) &&
              !shellNames.test(name) &&
              [...settings].every((setting) => wanted.test(setting)),
          )
          .map(([name]) => name),
      );
    return new ShellScope(only(/^number/), only(/loop$/), this.#setsSplitting);
  }
}

/** More items of a loop, and more items of loops in loops together, are not read one by one. */
const itemsMax = 16;
const passesMax = 64;

const operator = /\s+|\*\*|<<|>>|[-+*/%()<>=!&|^~?:,]/y;
const operand = /\d+|\$\{#[A-Za-z_]\w*\}|\$[#?$!]|\$\{([A-Za-z_]\w*)\}|\$?([A-Za-z_]\w*)/y;

/** Knows the variables of a text while it is read in its order. The text has no functions, aliases or traps. */
export class ShellScope {
  readonly #numbers: ReadonlySet<string>;
  readonly #loops: ReadonlySet<string>;
  readonly #items = new Map<string, ShellWord>();
  /** Variables that surely have been set. */
  readonly #isSet = new Set<string>();
  #passes = 1;
  /** The text changes where unquoted words are split. */
  readonly setsSplitting: boolean;

  constructor(numbers: ReadonlySet<string>, loops: ReadonlySet<string>, setsSplitting: boolean) {
    this.#numbers = numbers;
    this.#loops = loops;
    this.setsSplitting = setsSplitting;
  }

  /** Notes a command that only sets variables and always runs. */
  noteSet(variables: readonly VariableValue[]): void {
    // Any other value can fail, and a shell at a prompt goes on with the next line.
    if (!variables.every(({ value }) => typeof value === "string" && /^\d+$/.test(value))) return;
    for (const { name } of variables) this.#isSet.add(name);
  }

  /** Does it surely have a number for its value? */
  isNumber(name: string): boolean {
    return this.#numbers.has(name) && (this.#isSet.has(name) || this.#items.has(name));
  }

  /** The item of the loop that the text is in. */
  itemOf(name: string): ShellWord | undefined {
    return this.#items.get(name);
  }

  /** Calls `read` once for each item; false, without a call, if the items are not known or too many. */
  readItems(node: For, items: readonly ShellWord[], read: () => void): boolean {
    const name = node.name.value;
    const passes = this.#passes * items.length;
    const isKnown = items.every((item) => item.path !== undefined) && items.length > 0;
    if (!isKnown || !this.#loops.has(name) || items.length > itemsMax || passes > passesMax) return false;
    const before = this.#passes;
    this.#passes = passes;
    for (const item of items) {
      this.#items.set(name, item);
      read();
    }
    this.#items.delete(name);
    this.#passes = before;
    return true;
  }

  /** Calls `read` if the header of `for ((i = 0; i < 9; i++))` is readable, and says whether it is. */
  readCounting(header: string, read: () => void): boolean {
    const name = /^\s*([A-Za-z_]\w*)\s*=\s*\d+\s*;/.exec(header)?.[1];
    const isNew = name !== undefined && !this.#isSet.has(name);
    if (name !== undefined) this.#isSet.add(name);
    const isKnown = header.split(";").length === 3 && header.split(";").every((clause) => this.isReadable(clause));
    if (isKnown) read();
    // The loop itself may be one that does not run.
    if (isNew) this.#isSet.delete(name);
    return isKnown;
  }

  /**
   * Does bash only calculate with numbers? Names stand for variables that surely have one; nothing has an index, is quoted or
   * substituted, and no two operands join into another name.
   */
  isReadable(arithmetic: string): boolean {
    let at = 0;
    let wasOperand = false;
    while (at < arithmetic.length) {
      operator.lastIndex = at;
      operand.lastIndex = at;
      const found = operand.exec(arithmetic);
      if (found === null && operator.exec(arithmetic) === null) return false;
      if (found !== null && (wasOperand || !this.#isNumberOperand(found))) return false;
      at = found === null ? operator.lastIndex : operand.lastIndex;
      wasOperand = found !== null;
    }
    return true;
  }

  #isNumberOperand([, braced, plain]: RegExpExecArray): boolean {
    const name = braced ?? plain;
    return name === undefined || this.isNumber(name);
  }
}

/** `$((...))`, `$[...]` or `((...))` without its brackets. */
export const insideBrackets = (text: string): string => text.replace(/^\$?(?:\(\(|\[)|(?:\)\)|\])$/g, "");

/** The word is arithmetic alone, so that its value is a number. */
export const isArithmetic = ({ parts, text }: Word): boolean =>
  parts?.length === 1 && arithmeticIn(parts[0])?.text.length === text.replaceAll('"', "").length;

function arithmeticIn(part: SyntaxNode | undefined): ArithmeticExpansionPart | undefined {
  if (part?.type === "DoubleQuoted") return part.parts.length === 1 ? arithmeticIn(part.parts[0]) : undefined;
  return part?.type === "ArithmeticExpansion" ? part : undefined;
}

/** The text of an operand of `[[ a -eq b ]]`, which bash calculates; undefined if it is more than one number or variable. */
export const numberOperand = (text: string): string | undefined =>
  /^(?:"(\$[\w{}#?]+)"|([\w${}#?]+))$/
    .exec(text)
    ?.slice(1)
    .find((found) => found !== undefined);
