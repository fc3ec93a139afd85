/** What the settings of a repository make git read or run: hooks, included files, programs, wherever they are. */
import { isAbsolute, join, resolve } from "node:path";
import { LecternError } from "../../core/errors.ts";
import { executedLater } from "../../core/sandbox/executed-later.ts";
import type { StandIn } from "../../core/sandbox/plan.ts";
import { tryGit, userSettings, type GitRun } from "../git/run-git.ts";
import { fileText, namesIn } from "./git-places.ts";
import { realPath, statsOf } from "./mount-table.ts";

const RUN_MS_MAX = 10_000;
const FOLDERS_MAX = 8;
const FILES_MAX = 100;
/** Of all command lines: each word of them is looked for on the disk, on the daemon's thread. */
const COMMAND_CHARS_MAX = 65_536;
const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;
/** All that is taken from the environment of the program, which may be hostile: with its PATH or its GIT_* another program would run. */
const settingsVariables = ["HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"];

/** They name a directory, or a file that git reads: also one that does not exist yet. */
const directories = /^(?:core\.hookspath|init\.templatedir)$/;
const files = /^(?:include\.path|includeif\..*\.path|core\.attributesfile)$/s;
/** They name a program, or have a command line. */
const programs =
  /^(?:core\.(?:fsmonitor|sshcommand|editor|pager|gitproxy|askpass|alternaterefscommand)|filter\..*\.(?:clean|smudge|process)|diff\.(?:external|.*\.(?:textconv|command))|merge\..*\.driver|(?:difftool|mergetool|guitool|browser|man)\..*\.(?:cmd|path)|alias\..*|pager\..*|sequence\.editor|gpg\.(?:.*\.)?(?:program|defaultkeycommand)|credential\.(?:.*\.)?helper|interactive\.difffilter|trailer\..*\.(?:command|cmd)|remote\..*\.(?:uploadpack|receivepack)|uploadpack\.packobjectshook|sendemail\..*|hook\..*\.command|tar\..*\.command|imap\.tunnel|instaweb\..*|submodule\..*\.update)$/s;

/**
 * The places below the directories of a repository that its settings name. Empty without git. Throws `INVALID_INPUT` if git cannot read them,
 * `LIMIT_EXCEEDED` after 10 s, or if their command lines are too long.
 */
export async function placesInSettings(
  root: string,
  environment: Readonly<Record<string, string>>,
): Promise<readonly StandIn[]> {
  const own = Object.fromEntries(
    settingsVariables.flatMap((name) => (name in environment ? [[name, environment[name]]] : [])),
  );
  const run = { workingDirectory: root, environment: { ...userSettings, ...own }, msMax: RUN_MS_MAX };
  const listed = await settingsOf(run);
  if (listed === undefined) return [];
  const top = (await tryGit(["rev-parse", "--show-toplevel"], run)).text.trim() || root;
  const places = new SettingsPlaces({ root, top, home: environment["HOME"] });
  places.add(listed);
  // A condition such as "onbranch" may hold later: what a program inside does can make it hold.
  for (const file of places.unread()) places.add(await settingsOf(run, file), file);
  const common = (await tryGit(["rev-parse", "--git-common-dir"], run)).text.trim();
  if (common !== "") places.addHooks(resolve(root, common, "hooks"));
  return places.found;
}

interface Around {
  /** The directory that is protected. */
  readonly root: string;
  /** Of the repository around it: where its hooks and filters start. */
  readonly top: string;
  readonly home: string | undefined;
}

/** What the settings name, gathered file by file. */
class SettingsPlaces {
  readonly found: StandIn[] = [];
  readonly #around: Around;
  readonly #read = new Set<string>();
  readonly #included = new Set<string>();
  readonly #hookDirectories: string[] = [];
  #hookChars = 0;
  #commandChars = 0;

  constructor(around: Around) {
    this.#around = around;
  }

  /** `listed`: origins and settings, each with a NUL at its end; undefined without git. */
  add(listed = "", file?: string): void {
    const parts = listed.split("\0");
    if (file !== undefined) this.#read.add(file);
    for (let at = 0; at + 1 < parts.length; at += 2) {
      const origin = parts[at] ?? "";
      const named = origin.startsWith("file:") ? resolve(this.#around.root, origin.slice(5)) : undefined;
      if (named !== undefined) this.#origin(named);
      const [name, value] = splitOnce(parts[at + 1] ?? "", "\n");
      if (value !== undefined && value !== "") this.#setting(name, value, named);
    }
  }

  /** The included files that have not been read, also those that these include. Throws `LIMIT_EXCEEDED` if there are too many. */
  *unread(): Generator<string> {
    for (const file of this.#included) {
      if (this.#read.has(file) || !statsOf(realPath(file) ?? file)?.isFile()) continue;
      if (this.#read.size > FILES_MAX) throw tooMuch(`they are in more than ${FILES_MAX} files; join some of them`);
      yield file;
    }
  }

  /** The scripts that hooks start, and those that the start-up files of other tools name. */
  addHooks(directory: string): void {
    const { home, root, top } = this.#around;
    const hooks = [directory, ...this.#hookDirectories, join(root, ".husky")].flatMap((each) =>
      namesIn(each).map((name) => join(each, name)),
    );
    const scripts = [...hooks, ...executedLater.map(({ name }) => join(root, name))];
    for (const file of new Set(scripts)) {
      const stats = statsOf(file);
      if (stats?.isFile() !== true || file.endsWith(".sample") || stats.size > COMMAND_CHARS_MAX) continue;
      const text = fileText(file);
      this.#hookChars += text.length;
      if (this.#hookChars > COMMAND_CHARS_MAX) throw tooMuch(`hooks have more than ${COMMAND_CHARS_MAX} characters`);
      this.found.push(...programsIn(text, top, home).filter(({ path }) => isScript(path)));
    }
  }

  #origin(file: string): void {
    if (this.#read.has(file)) return;
    this.#read.add(file);
    this.found.push({ path: file, text: "" });
  }

  #setting(name: string, value: string, origin: string | undefined): void {
    const { home, top } = this.#around;
    if (directories.test(name)) {
      const path = pathFrom(value, top, home);
      this.#hookDirectories.push(path);
      this.found.push({ path, text: null });
    } else if (files.test(name)) {
      const isIncluded = name.startsWith("include");
      // Relative to the file that includes it.
      const path = pathFrom(value, isIncluded && origin !== undefined ? join(origin, "..") : top, home);
      this.found.push({ path, text: "" });
      if (isIncluded) this.#included.add(path);
    } else if (programs.test(name)) {
      this.#commandChars += value.length;
      if (this.#commandChars > COMMAND_CHARS_MAX)
        throw tooMuch(`their command lines have more than ${COMMAND_CHARS_MAX} characters; move them to scripts`);
      this.found.push(...programsIn(value, top, home));
    }
  }
}

/** That something may start: by itself, or by an interpreter. */
function isScript(path: string): boolean {
  const stats = statsOf(path);
  if (stats?.isFile() !== true) return false;
  return (stats.mode & 0o111) !== 0 || /\.(?:sh|bash|zsh|fish|py|rb|pl|php|lua|[cm]?[jt]s)$/.test(path);
}

const tooMuch = (reason: string): LecternError =>
  new LecternError("LIMIT_EXCEEDED", `Cannot check the settings of git: ${reason}`);

/**
 * The words of a command line that are files, from the top, from a directory that it names (`cd tools && ./x`) and behind what the shell
 * computes (`$(git rev-parse --show-toplevel)/x`). The program itself, and a word such as `./x`, may not exist yet.
 */
function programsIn(value: string, top: string, home: string | undefined): readonly StandIn[] {
  const words = [...new Set(value.split(/[\s"'`;|&()<>=!]+/))].filter((word) => word !== "");
  const folders = words.map((word) => pathFrom(word, top, home)).filter((path) => statsOf(path)?.isDirectory());
  const bases = [top, ...folders.slice(0, FOLDERS_MAX)];
  const named = words.filter((word, at) => word.startsWith("./") || (at === 0 && /^[^-/~$][^$]*\//.test(word)));
  const found = [value, ...value.split(/["']/), ...words].flatMap((word) => [
    ...bases.map((base) => pathFrom(word, base, home)),
    join(top, word),
  ]);
  const present = found.filter((path) => {
    const stats = statsOf(path);
    return stats?.isFile() === true || stats?.isSymbolicLink() === true;
  });
  const missing = named.map((word) => pathFrom(word, top, home)).filter((path) => statsOf(path) === undefined);
  return [...new Set([...present, ...missing])].map((path) => ({ path, text: "" }));
}

const pathFrom = (value: string, base: string, home: string | undefined): string =>
  isAbsolute(value) || home === undefined ? resolve(base, value) : resolve(base, value.replace(/^~(?=\/|$)/, home));

function splitOnce(text: string, separator: string): readonly [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** Of one file without what it includes, or all that hold now. Undefined without git. */
async function settingsOf(run: GitRun, file?: string): Promise<string | undefined> {
  const which = file === undefined ? [] : ["--file", file, "--no-includes"];
  const words = ["config", ...which, "--list", "--show-origin", "-z"];
  const found = await tryGit(words, { ...run, bytesMax: OUTPUT_BYTES_MAX }).catch((error: unknown) => {
    if (error instanceof LecternError && error.code === "NOT_AVAILABLE") return undefined;
    throw error;
  });
  if (found === undefined || (found.code === 0 && !found.isCut)) return found?.text;
  const reported = found.isCut ? `they are longer than ${OUTPUT_BYTES_MAX} bytes` : found.problem.trim();
  throw new LecternError(
    "INVALID_INPUT",
    `Cannot make the sandbox: git cannot read the settings of "${file ?? run.workingDirectory}", which may name programs (${reported}); run "git config --list" there and mend what it reports`,
  );
}
