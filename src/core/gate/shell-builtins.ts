/**
 * What builtins do to the shell itself: variables they set, and places where bash evaluates a value as arithmetic or as
 * shell text, in which `x='a[$(rm x)]'; echo $((x))` runs `rm` (bash manual 6.5, "Shell Arithmetic").
 */
import { isPlainNumber, type VariableValue } from "./shell-variables.ts";
import type { ShellWord } from "./shell-words.ts";

const identifier = /^[A-Za-z_]\w*$/;

/** Builtins that set the variables that their words name. */
const setters: ReadonlySet<string> = new Set([
  "declare",
  "export",
  "getopts",
  "local",
  "mapfile",
  "printf",
  "read",
  "readarray",
  "readonly",
  "typeset",
  "unset",
  "wait",
]);

/** Builtins whose operands are `NAME=VALUE`. */
const declarers: ReadonlySet<string> = new Set(["declare", "export", "local", "readonly", "typeset"]);

export interface BuiltinEffects {
  readonly assigned: readonly VariableValue[];
  /** They become arrays. */
  readonly arrays: readonly string[];
  /** Given a value that bash reads as `(...)`, and evaluates, where the variable is an array. */
  readonly compound: readonly string[];
  /** Why the effect cannot be told, if so. */
  readonly unreadable: string | undefined;
}

const nothing: BuiltinEffects = { assigned: [], arrays: [], compound: [], unreadable: undefined };

export function builtinEffects(words: readonly ShellWord[]): BuiltinEffects {
  const name = words[0]?.value ?? "";
  const rest = words.slice(1);
  switch (name) {
    case "let":
      return effects(rest.every((word) => isPlainNumber(word.value ?? "x")) ? undefined : arithmetic);
    case "hash":
      return hasOption(rest, "p") ? effects('"hash -p" changes what a name runs') : nothing;
    case "jobs":
      return hasOption(rest, "x") ? effects('"jobs -x" runs a command') : nothing;
    case "set":
      return setEffects(rest);
    case "shopt":
      return effects(
        rest.some((word) => widens.test(word.value ?? "dotglob"))
          ? "It changes what a glob or a folder means"
          : undefined,
      );
    case "test":
    case "[":
      return testEffects(rest);
    default:
      return setters.has(name) ? setterEffects(name, rest) : nothing;
  }
}

/** They change what a glob matches, or where `cd` and a word without a command lead. */
const widens = /^(?:dotglob|globstar|nocaseglob|cdable_vars|cdspell|dirspell|autocd)$/;

const arithmetic = "Arithmetic on a variable can run commands";

const effects = (unreadable: string | undefined): BuiltinEffects => ({ ...nothing, unreadable });

/** The option alone, in a bundle or with its value glued on. A computed word may be it, unless it begins as an assignment. */
const hasOption = (words: readonly ShellWord[], letter: string): boolean =>
  words.some((word) =>
    word.value === undefined
      ? !/^[A-Za-z_]\w*\+?=/.test(word.text)
      : /^[-+]([A-Za-z]*)/.exec(word.value)?.[1]?.includes(letter) === true,
  );

/** `-H` and `histexpand` rewrite the lines that follow; with `-k` words that look like assignments are some. */
function setEffects(words: readonly ShellWord[]): BuiltinEffects {
  const end = words.findIndex((word) => word.value === "--" || word.value === "-");
  const options = words.slice(0, end < 0 ? undefined : end);
  const risky = options.some((word) => /^[-+][A-Za-z]*[Hk]|^(?:history|histexpand|keyword)$/.test(word.value ?? "-k"));
  return risky ? effects("An option of the shell changes how the text is read") : nothing;
}

const binaryOperator = /^(?:==?|!=|<|>|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/;
const unaryOperator = /^-[a-zA-Z]$/;

/**
 * `-v` and `-R` take a variable name, which may hold an index to evaluate. A computed word may become these operators unless
 * it is one word, and stands where a literal operator makes it an operand.
 */
function testEffects(words: readonly ShellWord[]): BuiltinEffects {
  const operands = words.at(-1)?.value === "]" ? words.slice(0, -1) : words;
  const value = (at: number): string => operands[at]?.value ?? "";
  const named = operands.some((_word, at) => /^-[vR]$/.test(value(at)) && !identifier.test(value(at + 1)));
  const isOperand = (at: number): boolean =>
    operands.length === 1 ||
    binaryOperator.test(value(at + 1)) ||
    binaryOperator.test(value(at - 1)) ||
    unaryOperator.test(value(at - 1));
  const risky = operands.some((word, at) => word.value === undefined && !(word.isOne === true && isOperand(at)));
  return named || risky ? effects(arithmetic) : nothing;
}

function setterEffects(name: string, words: readonly ShellWord[]): BuiltinEffects {
  if (name === "printf") return printfEffects(words);
  if (/^(?:declare|local|typeset)$/.test(name) && hasOption(words, "n"))
    return effects("A name reference hides what is set");
  if (declarers.has(name) && hasOption(words, "i")) return effects(arithmetic);
  if (/^(?:mapfile|readarray)$/.test(name) && hasOption(words, "C")) return effects(`"${name} -C" runs a command`);
  return declarers.has(name) ? declarerEffects(words) : readerEffects(name, words);
}

function printfEffects(words: readonly ShellWord[]): BuiltinEffects {
  const [first, second] = words;
  if (first === undefined) return nothing;
  if (first.value === undefined) return effects("The format of printf is computed");
  if (!first.value.startsWith("-v")) return nothing;
  const target = first.value === "-v" ? second?.value : first.value.slice(2);
  if (target === undefined || !identifier.test(target)) return effects(arithmetic);
  return { ...nothing, assigned: [{ name: target, value: undefined }] };
}

/** `declare A=1 B`. A value that is computed or begins with `(` becomes a list, with indexes, where the variable is an array. */
function declarerEffects(words: readonly ShellWord[]): BuiltinEffects {
  const isArray = hasOption(words, "a") || hasOption(words, "A");
  const assigned: VariableValue[] = [];
  const compound: string[] = [];
  for (const word of words) {
    const text = word.value ?? word.text;
    const name = /^([A-Za-z_]\w*)(?:\+?=|$)/.exec(text)?.[1];
    if (name === undefined) {
      if (word.value === undefined || text.split("=")[0]?.includes("[") === true) return effects(arithmetic);
      continue;
    }
    const given = text === name ? null : word.value?.slice(word.value.indexOf("=") + 1);
    assigned.push({ name, value: given });
    if (word.isList !== true && (given === undefined || given?.trimStart().startsWith("(") === true))
      compound.push(name);
  }
  return { assigned, arrays: isArray ? assigned.map(({ name }) => name) : [], compound, unreadable: undefined };
}

/** Options whose value is no variable: `read -p TEXT`. */
const valueOptions = /^-[a-z]*[dinNptu]$/;

/** `read a b`, `mapfile a`, `unset a`, `getopts x a`, `wait -p a`: names, where each may have an index. */
function readerEffects(name: string, words: readonly ShellWord[]): BuiltinEffects {
  const assigned: VariableValue[] = [];
  const arrays: string[] = [];
  const takesText = name === "read" || name === "mapfile" || name === "readarray";
  for (const [at, word] of words.entries()) {
    const before = words[at - 1]?.value ?? "";
    const isText = takesText && valueOptions.test(before);
    if (word.value === undefined) {
      if (isText && word.isOne === true) continue;
      if (name === "getopts" && at !== 1) continue;
      return effects(arithmetic);
    }
    const glued = /^-[A-Za-z]*[ap](.+)$/.exec(word.value)?.[1];
    const target = glued !== undefined && name !== "unset" ? glued : word.value;
    if (target.includes("[") && !isText) return effects(arithmetic);
    if (!identifier.test(target)) continue;
    assigned.push({ name: target, value: name === "unset" ? null : undefined });
    if (name === "mapfile" || name === "readarray" || glued !== undefined || /^-[A-Za-z]*a$/.test(before))
      arrays.push(target);
  }
  return { ...nothing, assigned, arrays };
}
