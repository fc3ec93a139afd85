/**
 * What builtins do to the shell itself: variables they set, folders they change to, and places where bash evaluates
 * arithmetic, in which `x='a[$(rm x)]'; echo $((x))` runs `rm` (bash manual 6.5, "Shell Arithmetic").
 */
import type { ShellWord } from "./shell-words.ts";

const identifier = /^[A-Za-z_]\w*$/;
const plainNumber = /^[-+]?(?:0[xX][\da-fA-F]+|\d+)?$/;

/** A text that arithmetic reads as itself: a number. */
export const isPlainNumber = (text: string): boolean => plainNumber.test(text.trim());

/**
 * Variables by which a program or the shell is steered are capitals by convention (`PATH`, `LD_PRELOAD`, `BASH_ENV`);
 * these few capitals steer nothing that runs (`IFS` splits only words that are computed anyway).
 */
const harmlessCapitals = /^(?:LANG|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CI|TERM|COLUMNS|LINES|IFS)$/;
/** Small letters, and yet read by programs or by zsh. */
const steeringSmall = /_proxy$|^(?:path|fpath|cdpath|manpath|module_path|prompt)$/;

/** Does setting this variable need a word in the policy? */
export const isSteeringVariable = (name: string): boolean =>
  /^[a-z_][a-z0-9_]*$/.test(name) ? steeringSmall.test(name) : !harmlessCapitals.test(name);

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

export interface BuiltinEffects {
  readonly assigned: readonly string[];
  /** Why the effect cannot be told, if so. */
  readonly unreadable: string | undefined;
}

const nothing: BuiltinEffects = { assigned: [], unreadable: undefined };

export function builtinEffects(words: readonly ShellWord[]): BuiltinEffects {
  const name = words[0]?.value ?? "";
  const rest = words.slice(1);
  if (name === "let") return effects(rest.every((word) => isPlainNumber(word.value ?? "x")) ? undefined : arithmetic);
  if (name === "hash" && hasOption(rest, "p")) return effects('"hash -p" changes what a name runs');
  if (name === "jobs" && hasOption(rest, "x")) return effects('"jobs -x" runs a command');
  if (name === "test" || name === "[") return testEffects(rest);
  return setters.has(name) ? setterEffects(name, rest) : nothing;
}

const arithmetic = "Arithmetic on a variable can run commands";

const effects = (unreadable: string | undefined): BuiltinEffects => ({ assigned: [], unreadable });

/** A computed word may be the option, unless it begins as an assignment. */
const hasOption = (words: readonly ShellWord[], letter: string): boolean =>
  words.some((word) =>
    word.value === undefined
      ? !/^[A-Za-z_]\w*\+?=/.test(word.text)
      : /^[-+][A-Za-z]+$/.test(word.value) && word.value.includes(letter),
  );

/** `-v` and `-R` take a variable name, which may hold an index to evaluate. */
function testEffects(words: readonly ShellWord[]): BuiltinEffects {
  const risky = words.some(
    (word, at) => /^-[vR]$/.test(word.value ?? "") && !identifier.test(words[at + 1]?.value ?? ""),
  );
  return risky ? effects(arithmetic) : nothing;
}

function setterEffects(name: string, words: readonly ShellWord[]): BuiltinEffects {
  const named =
    name === "printf" ? words.slice(0, 2).filter((_word, _at, all) => all[0]?.value?.startsWith("-v") === true) : words;
  if (name === "printf" && words[0]?.value === undefined && words.length > 0)
    return effects("The format of printf is computed");
  if (/^(?:declare|local|typeset)$/.test(name) && hasOption(named, "n"))
    return effects("A name reference hides what is set");
  if (/^(?:mapfile|readarray)$/.test(name) && hasOption(named, "C")) return effects(`"${name} -C" runs a command`);
  const assigned: string[] = [];
  for (const word of named) {
    const target = (word.value ?? word.text).split("=")[0]?.replace(/\+$/, "") ?? "";
    const text = target.replace(/^-v/, "");
    if (identifier.test(text)) assigned.push(text);
    else if (text.includes("[") || (word.value === undefined && !target.includes("-"))) return effects(arithmetic);
  }
  return { assigned, unreadable: undefined };
}
