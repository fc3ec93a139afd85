/** Real git repositories for tests, without the settings of whoever runs them. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export class GitRepository implements Disposable {
  /** Holds the repository and its worktrees. */
  readonly directory = realpathSync(mkdtempSync(join(tmpdir(), "lectern-git-")));
  readonly path = join(this.directory, "shop");

  constructor({ hasCommit = true }: { readonly hasCommit?: boolean } = {}) {
    mkdirSync(this.path);
    this.git("init", "--quiet", "--initial-branch=main");
    this.git("config", "user.name", "Test Person");
    this.git("config", "user.email", "person@example.com");
    this.write("README.md", "shop\n");
    this.write(
      "src/total.js",
      "export const total = (items) =>\n  items.reduce((sum, item) => sum + item.price, 0);\n",
    );
    if (!hasCommit) return;
    this.git("add", ".");
    this.git("commit", "--quiet", "-m", "start");
  }

  git(...words: readonly string[]): string {
    return gitIn(this.path, ...words);
  }

  write(name: string, text: string | Uint8Array): void {
    writeIn(this.path, name, text);
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

export function writeIn(directory: string, name: string, text: string | Uint8Array): void {
  mkdirSync(dirname(join(directory, name)), { recursive: true });
  writeFileSync(join(directory, name), text);
}

export const gitIn = (directory: string, ...words: readonly string[]): string =>
  execFileSync("git", words, {
    cwd: directory,
    encoding: "utf8",
    env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();
