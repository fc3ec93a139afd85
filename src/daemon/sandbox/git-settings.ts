/** What the settings of a repository make git read or run: hooks, included files, programs, wherever they are. */
import { isAbsolute, join, resolve } from "node:path";
import { LecternError } from "../../core/errors.ts";
import type { StandIn } from "../../core/sandbox/plan.ts";
import { tryGit, userSettings, type GitRun } from "../git/run-git.ts";
import { statsOf } from "./mount-table.ts";

const RUN_MS_MAX = 10_000;
const FOLDERS_MAX = 8;
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
  const home = environment["HOME"];
  const parts = listed.split("\0");
  const found: StandIn[] = [];
  let commandChars = 0;
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const origin = parts[at]?.startsWith("file:") === true ? resolve(root, parts[at]?.slice(5) ?? "") : undefined;
    if (origin !== undefined) found.push({ path: origin, text: "" });
    const [name, value] = splitOnce(parts[at + 1] ?? "", "\n");
    if (value === undefined || value === "") continue;
    if (directories.test(name)) found.push({ path: pathFrom(value, top, home), text: null });
    // Relative to the file that includes it.
    else if (files.test(name)) {
      const base = name.startsWith("include") && origin !== undefined ? join(origin, "..") : top;
      found.push({ path: pathFrom(value, base, home), text: "" });
    } else if (programs.test(name)) {
      commandChars += value.length;
      if (commandChars > COMMAND_CHARS_MAX)
        throw new LecternError(
          "LIMIT_EXCEEDED",
          `Cannot check the settings of git: their command lines have more than ${COMMAND_CHARS_MAX} characters; move them to scripts`,
        );
      found.push(...programsIn(value, top, home));
    }
  }
  return found;
}

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

/** Undefined without git. */
async function settingsOf(run: GitRun): Promise<string | undefined> {
  const words = ["config", "--list", "--show-origin", "-z"];
  const found = await tryGit(words, { ...run, bytesMax: OUTPUT_BYTES_MAX }).catch((error: unknown) => {
    if (error instanceof LecternError && error.code === "NOT_AVAILABLE") return undefined;
    throw error;
  });
  if (found === undefined || (found.code === 0 && !found.isCut)) return found?.text;
  const reported = found.isCut ? `they are longer than ${OUTPUT_BYTES_MAX} bytes` : found.problem.trim();
  throw new LecternError(
    "INVALID_INPUT",
    `Cannot make the sandbox: git cannot read the settings of "${run.workingDirectory}", which may name programs (${reported}); run "git config --list" there and mend what it reports`,
  );
}
