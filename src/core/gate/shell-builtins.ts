/**
 * Effects of builtins on the shell: variables that they set, and values that bash evaluates as arithmetic or as shell text, which can
 * run commands: `x='a[$(rm x)]'; echo $((x))` runs `rm` (bash manual 6.5, "Shell Arithmetic").
 */
import { isPlainNumber, type VariableValue } from "./shell-variables.ts";
import { valueAt, type ShellWord } from "./shell-words.ts";

const identifier = /^[A-Za-z_]\w*$/;

/** Builtins whose operands are `NAME=VALUE`. */
const declarers: ReadonlySet<string> = new Set("declare export local readonly typeset".split(" "));
/** Builtins that set variables whose names are among their words. */
const readers: ReadonlySet<string> = new Set("getopts mapfile read readarray unset wait".split(" "));

export interface BuiltinEffects {
  readonly assigned: readonly VariableValue[];
  /** Variables that become arrays. */
  readonly arrays: readonly string[];
  /** Variables whose value bash evaluates as a list if they are arrays. */
  readonly compound: readonly string[];
  /** The effect is unknown: it may evaluate text as code, or change how the rest is parsed. */
  readonly isOpaque: boolean;
}

const nothing: BuiltinEffects = { assigned: [], arrays: [], compound: [], isOpaque: false };
const opaque: BuiltinEffects = { ...nothing, isOpaque: true };
const opaqueIf = (isOpaque: boolean): BuiltinEffects => (isOpaque ? opaque : nothing);

export function builtinEffects(words: readonly ShellWord[]): BuiltinEffects {
  const name = valueAt(words, 0);
  const rest = words.slice(1);
  switch (name) {
    case "let":
      return opaqueIf(!rest.every((word) => isPlainNumber(word.value ?? "x")));
    case "hash":
      return opaqueIf(hasOption(rest, "p"));
    case "jobs":
      return opaqueIf(hasOption(rest, "x"));
    case "set":
      return setEffects(rest);
    case "shopt":
      return opaqueIf(rest.some((word) => widens.test(word.value ?? "dotglob")));
    case "test":
    case "[":
      return testEffects(rest);
    case "printf":
      return printfEffects(rest);
    default:
      if (declarers.has(name)) return declarerEffects(name, rest);
      return readers.has(name) ? readerEffects(name, rest) : nothing;
  }
}

/** Shell options that change what a glob matches, or where `cd` leads. */
const widens = /^(?:dotglob|globstar|nocaseglob|cdable_vars|cdspell|dirspell|autocd)$/;

/** The option alone, in a bundle or with its value glued on. A computed word may be it, unless it begins as an assignment. */
const hasOption = (words: readonly ShellWord[], letter: string): boolean =>
  words.some((word) =>
    word.value === undefined
      ? !/^[A-Za-z_]\w*\+?=/.test(word.text)
      : /^[-+]([A-Za-z]*)/.exec(word.value)?.[1]?.includes(letter) === true,
  );

/** `-H` and `histexpand` rewrite the following lines; `-k` turns words that look like assignments into assignments. */
function setEffects(words: readonly ShellWord[]): BuiltinEffects {
  const end = words.findIndex((word) => word.value === "--" || word.value === "-");
  const options = words.slice(0, end < 0 ? undefined : end);
  const risky = options.some((word) => /^[-+][A-Za-z]*[Hk]|^(?:history|histexpand|keyword)$/.test(word.value ?? "-k"));
  return opaqueIf(risky);
}

const binaryOperator = /^(?:==?|!=|<|>|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/;
const unaryOperator = /^-[a-zA-Z]$/;

/**
 * `-v` and `-R` take a variable name, whose index bash evaluates. A computed word may become such an operator, unless it is one word
 * that a literal operator makes an operand.
 */
function testEffects(words: readonly ShellWord[]): BuiltinEffects {
  const operands = words.at(-1)?.value === "]" ? words.slice(0, -1) : words;
  const value = (at: number): string => valueAt(operands, at);
  const named = operands.some((_word, at) => /^-[vR]$/.test(value(at)) && !identifier.test(value(at + 1)));
  const isOperand = (at: number): boolean =>
    operands.length === 1 ||
    binaryOperator.test(value(at + 1)) ||
    binaryOperator.test(value(at - 1)) ||
    unaryOperator.test(value(at - 1));
  const risky = operands.some((word, at) => word.value === undefined && !(word.isOne === true && isOperand(at)));
  return opaqueIf(named || risky);
}

function printfEffects(words: readonly ShellWord[]): BuiltinEffects {
  const [first, second] = words;
  if (first === undefined) return nothing;
  if (first.value === undefined) return opaque;
  if (!first.value.startsWith("-v")) return nothing;
  const target = first.value === "-v" ? second?.value : first.value.slice(2);
  if (target === undefined || !identifier.test(target)) return opaque;
  return { ...nothing, assigned: [{ name: target, value: undefined }] };
}

/** `declare A=1 B`. A value that is computed or begins with `(` becomes a list, with indexes, if the variable is an array. */
function declarerEffects(builtin: string, words: readonly ShellWord[]): BuiltinEffects {
  // A name reference (`-n`) hides which variable is set; `-i` evaluates the value.
  if (hasOption(words, "i") || (/^(?:declare|local|typeset)$/.test(builtin) && hasOption(words, "n"))) return opaque;
  const isArray = hasOption(words, "a") || hasOption(words, "A");
  const assigned: VariableValue[] = [];
  const compound: string[] = [];
  for (const word of words) {
    const text = word.value ?? word.text;
    const name = /^([A-Za-z_]\w*)(?:\+?=|$)/.exec(text)?.[1];
    if (name === undefined) {
      if (word.value === undefined || text.split("=")[0]?.includes("[") === true) return opaque;
      continue;
    }
    const given = text === name ? null : word.value?.slice(word.value.indexOf("=") + 1);
    assigned.push({ name, value: given });
    if (word.isList !== true && (given === undefined || given?.trimStart().startsWith("(") === true))
      compound.push(name);
  }
  return { assigned, arrays: isArray ? assigned.map(({ name }) => name) : [], compound, isOpaque: false };
}

/** Options whose value is not a variable: `read -p TEXT`. */
const valueOptions = /^-[a-z]*[dinNptu]$/;

/** `read a b`, `mapfile a`, `unset a`, `getopts x a`, `wait -p a`: names, each possibly with an index. */
function readerEffects(name: string, words: readonly ShellWord[]): BuiltinEffects {
  const assigned: VariableValue[] = [];
  const arrays: string[] = [];
  const isMapfile = name === "mapfile" || name === "readarray";
  // `mapfile -C` runs a command.
  if (isMapfile && hasOption(words, "C")) return opaque;
  for (const [at, word] of words.entries()) {
    const before = valueAt(words, at - 1);
    const isText = (isMapfile || name === "read") && valueOptions.test(before);
    if (word.value === undefined) {
      if (isText && word.isOne === true) continue;
      if (name === "getopts" && at !== 1) continue;
      return opaque;
    }
    const glued = /^-[A-Za-z]*[ap](.+)$/.exec(word.value)?.[1];
    const target = glued !== undefined && name !== "unset" ? glued : word.value;
    if (target.includes("[") && !isText) return opaque;
    if (!identifier.test(target)) continue;
    assigned.push({ name: target, value: name === "unset" ? null : undefined });
    if (isMapfile || glued !== undefined || /^-[A-Za-z]*a$/.test(before)) arrays.push(target);
  }
  return { ...nothing, assigned, arrays };
}
