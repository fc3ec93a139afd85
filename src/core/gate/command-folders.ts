/**
 * The directories to which a program changes by its options before it resolves other paths: `git -C a -C b` runs in `a/b`. Launchers
 * with such an option (`env -C`) are in `shell-launchers.ts`.
 */
import { splitWords } from "./program-words.ts";
import { programNamed } from "./programs.ts";
import type { ShellWord } from "./shell-words.ts";

/** With more changes the last directory is unknown. */
const foldersMax = 8;

export interface CommandFolders {
  /** Each is relative to the previous one; undefined if unknown. */
  readonly folders: readonly (string | undefined)[];
  /** The command without these options. */
  readonly rest: readonly ShellWord[];
}

export function foldersOf(words: readonly ShellWord[]): CommandFolders {
  const name = words[0]?.value;
  const program = programNamed(name?.slice(name.lastIndexOf("/") + 1) ?? "");
  if (program?.sections.has("folder") !== true) return { folders: [], rest: words };
  const { options, unknown } = splitWords(words, program);
  const found = [...options, ...unknown.flatMap(({ candidates }) => candidates)]
    .filter(({ spec }) => spec.section === "folder")
    .toSorted((left, right) => left.at - right.at);
  const taken = new Set(found.flatMap(({ at, value }) => [words[at], value]));
  const folders = found.slice(0, foldersMax).map(({ value }) => value?.path);
  return {
    folders: found.length > foldersMax ? [...folders, undefined] : folders,
    rest: words.filter((word) => !taken.has(word)),
  };
}
