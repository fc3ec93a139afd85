/** The version of this package, and of this build of it. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** At the same distance from `src` and `dist`. */
const root = fileURLToPath(new URL("../../", import.meta.url));
const BUILD = /^[0-9a-f]{12}/;

/** Read and not imported: the file lies outside of what is compiled. */
export function packageVersion(): string {
  const text = readFileSync(join(root, "package.json"), "utf8");
  return String((JSON.parse(text) as { readonly version?: unknown }).version);
}

let known: string | undefined;

/**
 * The version with what tells this build from others of the same version, such as `0.1.0+8f40a4146d7d`: the build that
 * `scripts/write-build.ts` wrote into the package, or else the commit of the clone. The plain version if there is neither.
 */
export const buildVersion = (): string => (known ??= readBuild());

function readBuild(): string {
  const written = read(fileURLToPath(new URL("../build.txt", import.meta.url))) ?? commitOf(root) ?? "";
  const build = BUILD.exec(written)?.[0];
  return build === undefined ? packageVersion() : `${packageVersion()}+${build}`;
}

/** Without git, which a start of the command has no time for. Also in a worktree of a clone. */
function commitOf(directory: string): string | undefined {
  const linked = /^gitdir: (.+)/.exec(read(join(directory, ".git")) ?? "")?.[1];
  const own = resolve(directory, linked ?? ".git");
  const head = read(join(own, "HEAD"));
  const name = /^ref: (.+)/.exec(head ?? "")?.[1];
  if (name === undefined) return head;
  const common = resolve(own, read(join(own, "commondir"))?.trim() ?? ".");
  const packed = (): string | undefined =>
    read(join(common, "packed-refs"))
      ?.split("\n")
      .find((line) => line.endsWith(` ${name}`));
  return read(join(common, name)) ?? packed();
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
