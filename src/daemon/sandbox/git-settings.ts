/** What the settings of a repository make git read or run: hooks, included files, programs, wherever they are. */
import { spawnSync } from "node:child_process";
import { isAbsolute, join, resolve } from "node:path";
import { LecternError } from "../../core/errors.ts";
import type { StandIn } from "../../core/sandbox/plan.ts";
import { statsOf } from "./mount-table.ts";

const RUN_MS_MAX = 10_000;
const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;

/** They name a directory, or a file that git reads: also one that does not exist yet. */
const directories = /^(?:core\.hookspath|init\.templatedir)$/;
const files = /^(?:include\.path|includeif\..*\.path|core\.attributesfile)$/s;
/** They name a program, or have a command line. */
const programs =
  /^(?:core\.(?:fsmonitor|sshcommand|editor|pager|gitproxy|askpass|alternaterefscommand)|filter\..*\.(?:clean|smudge|process)|diff\.(?:external|.*\.(?:textconv|command))|merge\..*\.driver|(?:difftool|mergetool|guitool|browser|man)\..*\.(?:cmd|path)|alias\..*|pager\..*|sequence\.editor|gpg\.(?:.*\.)?(?:program|defaultkeycommand)|credential\.(?:.*\.)?helper|interactive\.difffilter|trailer\..*\.(?:command|cmd)|remote\..*\.(?:uploadpack|receivepack)|uploadpack\.packobjectshook|sendemail\..*|hook\..*\.command|submodule\..*\.update)$/s;

/** The places below the directories of a repository that its settings name. Empty without git. Throws `INVALID_INPUT` if git cannot read them. */
export function placesInSettings(root: string, environment: Readonly<Record<string, string>>): readonly StandIn[] {
  const listed = runGit(["config", "--list", "--show-origin", "-z"], root, environment);
  if (listed === undefined) return [];
  const top = runGit(["rev-parse", "--show-toplevel"], root, environment, true)?.trim() || root;
  const home = environment["HOME"];
  const parts = listed.split("\0");
  const found: StandIn[] = [];
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
    } else if (programs.test(name)) found.push(...programsIn(value, top, home));
  }
  return found;
}

/** The words of a command line that are files; a missing program runs nothing. */
function programsIn(value: string, top: string, home: string | undefined): readonly StandIn[] {
  const words = [value, ...value.split(/[\s"'`;|&()<>=!]+/)];
  return words
    .filter((word) => word !== "")
    .map((word) => ({ path: pathFrom(word, top, home), text: "" }))
    .filter(({ path }) => {
      const stats = statsOf(path);
      return stats?.isFile() === true || stats?.isSymbolicLink() === true;
    });
}

const pathFrom = (value: string, base: string, home: string | undefined): string =>
  isAbsolute(value) || home === undefined ? resolve(base, value) : resolve(base, value.replace(/^~(?=\/|$)/, home));

function splitOnce(text: string, separator: string): readonly [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** Undefined without git. */
function runGit(
  words: readonly string[],
  directory: string,
  environment: Readonly<Record<string, string>>,
  mayFail = false,
): string | undefined {
  const { GIT_DIR: _, GIT_WORK_TREE: __, ...rest } = environment;
  const ran = spawnSync("git", words, {
    cwd: directory,
    env: { PATH: process.env["PATH"], ...rest },
    encoding: "utf8",
    timeout: RUN_MS_MAX,
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  if (ran.error !== undefined && "code" in ran.error && ran.error.code === "ENOENT") return undefined;
  if (ran.status === 0 && ran.error === undefined) return ran.stdout;
  if (mayFail) return undefined;
  const reported = (ran.error?.message ?? ran.stderr).trim();
  throw new LecternError(
    "INVALID_INPUT",
    `Cannot make the sandbox: git cannot read the settings of "${directory}", which may name programs (${reported}); run "git config --list" there and mend what it reports`,
  );
}
