/** Words of searches and editors that are patterns or programs: a rule that allows by paths does not take them for files. */
import { splitWords } from "./program-words.ts";
import { programNamed } from "./programs.ts";
import { valueAt, type ShellWord } from "./shell-words.ts";

/** Indexes of the words; none if a word is not known. */
export function patternsAt(words: readonly ShellWord[]): readonly number[] {
  const program = programNamed(valueAt(words, 0));
  const role = program?.roles[0]?.name;
  if (program === undefined || (role !== "pattern" && role !== "script")) return [];
  const { operands, options, unknown } = splitWords(words, program);
  if (unknown.length > 0) return [];
  const given = options.filter(({ spec }) => spec.section === role || spec.section.endsWith(`-${role}`));
  // A value that is glued to its option is a part of that word.
  const values = given.filter(({ at, spec, value }) => spec.section === role && words[at + 1] === value);
  if (given.length > 0) return values.map(({ at }) => at + 1);
  return operands[0]?.word.value === undefined ? [] : [operands[0].at];
}
