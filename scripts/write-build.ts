/**
 * Writes `dist/build.txt`, by which builds of one version are told apart: the commit, or a hash of `dist` if the files of the source differ
 * from it or there is no clone. A step of `npm run build`.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const dist = join(root, "dist");

function commit(): string | undefined {
  const git = (...words: string[]): string =>
    execFileSync("git", words, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  try {
    const isOwn = git("rev-parse", "--show-toplevel") === root;
    return isOwn && git("status", "--porcelain", "--", "src", "package.json") === ""
      ? git("rev-parse", "HEAD")
      : undefined;
  } catch {
    return undefined;
  }
}

function hashOfFiles(): string {
  const hash = createHash("sha256");
  for (const file of globSync("**/*.js", { cwd: dist }).toSorted())
    hash
      .update(file)
      .update("\0")
      .update(readFileSync(join(dist, file)));
  return hash.digest("hex");
}

writeFileSync(join(dist, "build.txt"), `${(commit() ?? hashOfFiles()).slice(0, 12)}\n`);
