/**
 * The directories to which a program changes by its options before it resolves other paths: `git -C a -C b` runs in `a/b`. Launchers
 * with such an option (`env -C`) are in `shell-launchers.ts`.
 */
import type { Program } from "./program-entry.ts";
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
  const options = program === undefined ? [] : folderOptionsOf(program);
  if (program === undefined || options.length === 0) return { folders: [], rest: words };
  const folders: (string | undefined)[] = [];
  const rest = words.slice(0, 1);
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined) break;
    const text = word.value ?? word.path;
    const value = text === undefined ? undefined : valueIn(text, options);
    // `tar xCf a b`: bundled letters without a dash; their values follow in order.
    const isBundle = program.grammar === "tar" && at === 1 && text !== undefined && /^[A-Za-z]*C/.test(text);
    if (value === undefined && !isBundle) {
      rest.push(word);
      continue;
    }
    if (folders.length >= foldersMax) return { folders: [...folders, undefined], rest: [...rest, ...words.slice(at)] };
    if (value === "") at += 1;
    folders.push(value === "" ? words[at]?.path : value);
  }
  return { folders, rest };
}

const folderOptionsOf = ({ options, sections }: Program): readonly string[] =>
  !sections.has("folder") ? [] : [...options].flatMap(([name, { section }]) => (section === "folder" ? [name] : []));

/** The value that is glued to a directory option; empty if it is the next word, undefined for other words. */
function valueIn(text: string, options: readonly string[]): string | undefined {
  if (text.startsWith("--")) {
    const [name = "", ...value] = text.split("=");
    const isFolder = name.length > 3 && options.some((option) => option.startsWith(name));
    return isFolder ? value.join("=") : undefined;
  }
  const letters = options.flatMap((option) => (option.length === 2 ? [option.slice(1)] : [])).join("");
  return letters === "" ? undefined : new RegExp(`^-[A-Za-z]*?[${letters}](.*)$`, "s").exec(text)?.[1];
}
