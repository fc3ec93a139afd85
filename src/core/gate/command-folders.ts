/**
 * The directories to which a program changes by its options before it resolves other paths: `git -C a -C b` runs in `a/b`. Launchers
 * with such an option (`env -C`) are in `shell-launchers.ts`.
 */
import type { ShellWord } from "./shell-words.ts";

interface FolderOptions {
  /** Matches the one-letter option, alone or in a bundle, and captures the glued value. */
  readonly short: RegExp | undefined;
  /** With their dashes. */
  readonly long: readonly string[];
}

const folderOptions = (letter: string, ...long: readonly string[]): FolderOptions => ({
  short: letter === "" ? undefined : new RegExp(`^-[A-Za-z]*?${letter}(.*)$`, "s"),
  long,
});

const tar = folderOptions("C", "--directory", "--cd");
const make = folderOptions("C", "--directory");
const programs: ReadonlyMap<string, FolderOptions> = new Map([
  ["bsdtar", tar],
  ["cargo", folderOptions("C")],
  ["composer", folderOptions("d", "--working-dir")],
  ["cpio", folderOptions("D", "--directory")],
  ["curl", folderOptions("", "--output-dir")],
  ["git", folderOptions("C")],
  ["gmake", make],
  ["go", folderOptions("C")],
  ["gtar", tar],
  ["hg", folderOptions("", "--cwd")],
  ["jar", folderOptions("C")],
  ["just", folderOptions("d", "--working-directory")],
  ["make", make],
  ["meson", folderOptions("C")],
  ["ninja", folderOptions("C")],
  ["npm", folderOptions("C", "--prefix")],
  ["patch", folderOptions("d", "--directory")],
  ["pnpm", folderOptions("C", "--dir")],
  ["tar", tar],
  ["yarn", folderOptions("", "--cwd")],
]);

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
  const options = programs.get(name?.slice(name.lastIndexOf("/") + 1) ?? "");
  if (options === undefined) return { folders: [], rest: words };
  const folders: (string | undefined)[] = [];
  const rest = words.slice(0, 1);
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined) break;
    const text = word.value ?? word.path;
    const value = text === undefined ? undefined : valueIn(text, options);
    // `tar xCf a b`: bundled letters without a dash; their values follow in order.
    const isBundle = options === tar && at === 1 && text !== undefined && /^[A-Za-z]*C/.test(text);
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

/** The value that is glued to a directory option; empty if it is the next word, undefined for other words. */
function valueIn(text: string, { long, short }: FolderOptions): string | undefined {
  if (text.startsWith("--")) {
    const [name = "", ...value] = text.split("=");
    const isFolder = name.length > 3 && long.some((option) => option.startsWith(name));
    return isFolder ? value.join("=") : undefined;
  }
  return short?.exec(text)?.[1];
}
