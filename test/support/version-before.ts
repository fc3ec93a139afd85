/**
 * The version before, as a program that runs: the sources of a recorded commit, out of the history of this clone. Undefined in a clone without
 * that commit, such as one of `git clone --depth 1`.
 */
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after } from "node:test";
import { promisify } from "node:util";

const root = resolve(import.meta.dirname, "../..");

/** What a user may have installed when this version is released; to be moved at each release. */
export const BEFORE = "8f40a4146d7d";
const ARCHIVE_BYTES_MAX = 256 * 1024 * 1024;

/** Why it cannot run; undefined if it can. */
export const whyNoVersionBefore = ((): string | undefined => {
  const { status } = spawnSync("git", ["cat-file", "-e", `${BEFORE}^{commit}`], { cwd: root });
  return status === 0 ? undefined : `this clone has no commit ${BEFORE}: run "git fetch --unshallow"`;
})();

/** Path of its command, which is removed after the tests of the file. */
export function unpackVersionBefore(): string {
  const directory = mkdtempSync(join(tmpdir(), "lectern-before-"));
  after(() => rmSync(directory, { recursive: true, force: true }));
  const archive = execFileSync("git", ["archive", BEFORE, "src", "bin", "shell", "policies", "package.json"], {
    cwd: root,
    maxBuffer: ARCHIVE_BYTES_MAX,
  });
  execFileSync("tar", ["-x", "-C", directory], { input: archive });
  symlinkSync(join(root, "node_modules"), join(directory, "node_modules"));
  mkdirSync(join(directory, "dist"), { recursive: true });
  return join(directory, "src/cli/main.ts");
}

/** Standard output of a command of it, which must end well. */
export async function runVersionBefore(
  command: string,
  words: readonly string[],
  place: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<string> {
  return (await promisify(execFile)(process.execPath, [command, ...words], place)).stdout;
}
