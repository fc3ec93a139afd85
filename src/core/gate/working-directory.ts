/**
 * The working directory that a call names for itself: relative paths of its command start there, not where the session does.
 * An argument that looks like one and is not known as the tool's own leaves open where the command runs.
 */
import { selectLeaves, stringAt } from "./pointers.ts";
import type { ToolFacts } from "./policy.ts";

/** Arguments that are searched; more of them leave the directory open. */
const foldersMax = 4;

export interface CallDirectory {
  /** The tool's own argument for it, where the call has it. */
  readonly named: FolderArgument | undefined;
  /** Arguments that look like a working directory and are not known to be one. */
  readonly others: readonly FolderArgument[];
  /** Nobody can tell: the argument is not a path, or there are too many. */
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

const isFolderName = (key: string): boolean =>
  key.length <= 40 && folderName.test(key.toLowerCase().replaceAll(/[^a-z]/g, ""));

/** Is the value at the pointer named as a working directory is? */
const isFolderArgument = (path: string): boolean => path.split("/").some((segment) => isFolderName(segment));

/**
 * @example
 * ```ts
 * const settings = { shell: ["cmd"], directories: [["workdir"]], timeoutMs: null };
 * callDirectory({ cmd: "ls", workdir: "/tmp" }, settings).named?.value; // "/tmp"
 * ```
 */
export function callDirectory(value: unknown, settings: ToolFacts | undefined): CallDirectory {
  const named = (settings?.directories ?? [])
    .flatMap((pointer): readonly FolderArgument[] => {
      const text = stringAt(value, pointer);
      return text === undefined ? [] : [{ path: `/${pointer.join("/")}`, value: text }];
    })
    .at(0);
  const selection = selectLeaves(value, []);
  const shell = settings?.shell == null ? undefined : `/${settings.shell.filter((key) => key !== "*").join("/")}`;
  const folders = selection.leaves.filter(
    (leaf) =>
      typeof leaf.value === "string" &&
      leaf.path !== named?.path &&
      leaf.path !== shell &&
      (shell === undefined || !leaf.path.startsWith(`${shell}/`)) &&
      isFolderArgument(leaf.path),
  );
  return {
    named,
    others: folders.slice(0, foldersMax).map((leaf) => ({ path: leaf.path, value: String(leaf.value) })),
    isOpen: selection.overflow || folders.length > foldersMax,
  };
}
