/**
 * Finds the working directory that a call sets by an argument: relative paths of its command start there instead of in the session's
 * directory. If another argument looks like a directory, the command may run in either.
 */
import { selectLeaves, stringAt } from "./pointers.ts";
import type { ToolFacts } from "./policy.ts";

/** With more candidates the directory is unknown. */
const foldersMax = 4;

export interface CallDirectory {
  /** The tool's known argument for it, if the call has it. */
  readonly named: FolderArgument | undefined;
  /** Arguments that look like a working directory and are not known to be one. */
  readonly others: readonly FolderArgument[];
  /** All texts of the call except its shell text and the tool's known argument. */
  readonly texts: readonly FolderArgument[];
  /** The directory is unknown: there are too many values or candidates. */
  readonly isOpen: boolean;
}

interface FolderArgument {
  /** The pointer to it. */
  readonly path: string;
  readonly value: string;
}

/** Names of arguments, without case and separators: `workdir`, `working_directory`, `dirPath`, `cwd`, `project_root`. */
const folderName =
  /^(?:[a-z]*(?:cwd|chdir|dir|dirpath|directory|directorypath|folder|folderpath)|pwd|wd|cd|[a-z]*root|workspace|workspacepath|workingpath)$/;

/** Names that count only for tools with shell text: `cwd_path`, `dirName`, `root_path`, `worktree`. */
const shellFolderName =
  /^[a-z]*(?:(?:cwd|chdir|dir|directory|folder|workspace|worktree)(?:path|name)?|(?:root|base|project|repo|repository|work|working)(?:path|location)?)$/;

/** Arguments for human readers, which do not affect the tool. */
const prose =
  /^(?:description|justification|explanation|reason|rationale|purpose|title|summary|note|message|comment|thought)$/;
const pathStart = /^\s*(?:[/~\\]|\.\.|file:|[A-Za-z]:[\\/])/;

/** The keys of a pointer without case and separators. */
export const plainKeys = (path: string): readonly string[] =>
  path.split("/").map((key) => (key.length > 40 ? "" : key.toLowerCase().replaceAll(/[^a-z]/g, "")));

/** Can the value be a working directory? For tools with shell text every path can. */
function isFolderArgument(
  { path, value }: { readonly path: string; readonly value: string },
  isShell: boolean,
): boolean {
  const keys = plainKeys(path);
  if (keys.some((key) => folderName.test(key))) return true;
  if (!isShell) return false;
  const isRead = keys.some((key) => prose.test(key) || isShellKey(key)) || keys.slice(0, -1).some(isVariablesKey);
  return !isRead && (keys.some((key) => shellFolderName.test(key)) || pathStart.test(value));
}

/** `env`, `env_vars`, `environmentVariables`, `extra_env`. */
export const isVariablesKey = (key: string): boolean =>
  /^[a-z]*(?:env|environ|environment)(?:s|vars?|variables?|overrides?|extra)?$|^(?:[a-z]*variables|vars)$/.test(key);

/** `shell`, `shellPath`, `executable`: the program that runs the text. */
export const isShellKey = (key: string): boolean =>
  /^[a-z]*shell(?:path|bin|binary|program|executable|command|cmd|type|name)?$|^[a-z]*(?:executable|interpreter)(?:path|name)?$|^(?:binary|program)(?:path|name)?$/.test(
    key,
  );

export function callDirectory(value: unknown, settings: ToolFacts | undefined): CallDirectory {
  const named = (settings?.directories ?? [])
    .flatMap((pointer): readonly FolderArgument[] => {
      const text = stringAt(value, pointer);
      return text === undefined ? [] : [{ path: `/${pointer.join("/")}`, value: text }];
    })
    .at(0);
  const selection = selectLeaves(value, []);
  const shell = settings?.shell == null ? undefined : `/${settings.shell.filter((key) => key !== "*").join("/")}`;
  const texts = selection.leaves.flatMap(({ path, value: text }): readonly FolderArgument[] => {
    const isOwn = path === named?.path || path === shell || (shell !== undefined && path.startsWith(`${shell}/`));
    const isText = typeof text === "string" || (text !== null && plainKeys(path).some(isVariablesKey));
    return isText && !isOwn ? [{ path, value: String(text) }] : [];
  });
  const folders = texts.filter((text) => isFolderArgument(text, shell !== undefined));
  return {
    named,
    others: folders.slice(0, foldersMax),
    texts,
    isOpen: selection.overflow || folders.length > foldersMax,
  };
}
