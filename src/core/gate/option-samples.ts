/** Commands that show what a program can do by its options, operands and subcommands, from its record. */
import { effectPhrase } from "./effect-words.ts";
import { readCommand, type ProgramEffect } from "./effects.ts";
import type { EffectKind, Program, ProgramOption, Role } from "./program-entry.ts";
import { programNamed } from "./programs.ts";
import { literalWord } from "./shell-words.ts";

interface OptionSample {
  readonly text: string;
  /** What it does beside what the command does without the added words: `writes ~/.bashrc`. */
  readonly phrase: string;
}

/** Written by nearly no honest command, and executed later. */
const target = "~/.bashrc";

const byNature: ReadonlySet<EffectKind> = new Set(["run", "code", "network", "socket", "settings"]);
const byOperand: ReadonlySet<EffectKind> = new Set(["write", "replace", "delete"]);
const byOption = byNature.union(byOperand);

/**
 * Commands that begin with these words and write, delete, run or send something by an option, by an operand or, if the words are only a
 * name, by a subcommand or a file. Empty for a program without a record.
 * `optionSamples(["sort"])[1]; // { text: "sort -o ~/.bashrc", phrase: "writes ~/.bashrc" }`
 */
export function optionSamples(words: readonly string[]): readonly OptionSample[] {
  const [name = "", ...others] = words;
  const program = others.reduce<Program | undefined>(
    (known, word) => known?.sub?.get(word) ?? known,
    programNamed(name),
  );
  if (program === undefined) return [];
  const samplesOf = (added: readonly string[], kinds: ReadonlySet<EffectKind>): readonly OptionSample[] => {
    const all = [...words, ...added];
    const effect = effectsOf(all).find(
      ({ kind, target: at }) => kinds.has(kind) && (!usual.has(kind) || at?.value === target),
    );
    return effect === undefined ? [] : [{ text: all.join(" "), phrase: effectPhrase(effect, []) }];
  };
  const isBare = others.length === 0;
  const usual = new Set(effectsOf(words).map(({ kind }) => kind));
  const specs = [...new Set(program.options.values())].filter(({ section }) => section !== "nothing");
  return [
    ...specs.flatMap((spec) =>
      samplesOf([...optionWords(spec, program.grammar), ...operandsFor(program.roles)], byOption),
    ),
    ...program.roles.flatMap((role, at) =>
      role.kind !== undefined && byOperand.has(role.kind)
        ? samplesOf([...program.roles.slice(0, at).map(() => "x"), target], byOperand)
        : [],
    ),
    ...(isBare ? [...(program.sub?.keys() ?? []), "x"].flatMap((word) => samplesOf([word], byNature)) : []),
  ];
}

const effectsOf = (words: readonly string[]): readonly ProgramEffect[] =>
  readCommand(words.map((word) => literalWord(word)))?.effects ?? [];

function optionWords(
  { names: [name = ""], section, value }: ProgramOption,
  grammar: Program["grammar"],
): readonly string[] {
  if (grammar === "dd") return [`${name}=${target}`];
  if (section === "exec") return [name, "x", "+"];
  if (value === "none") return [name];
  return value === "needed" ? [name, target] : [`${name}${name.startsWith("--") ? "=" : ""}${target}`];
}

/** Those without which it does nothing. */
const operandsFor = (roles: readonly Role[]): readonly string[] =>
  roles.filter(({ isMany, isOptional, name }) => !isOptional && !isMany && name !== "command").map(() => "x");
