/**
 * The files of a traced text: a home with credentials and a socket, a project with a history of git and links that lead out of it, and a
 * folder beside it. It is mounted as `/users`.
 */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { KnownTree } from "./observed-effects.ts";

export interface CanaryTree extends KnownTree, AsyncDisposable {
  /** Where it lies on this machine. */
  readonly folder: string;
}

const project = "me/project";

const files: Readonly<Record<string, string>> = {
  "me/.ssh/id_rsa": "CANARY key\n",
  "me/.ssh/config": "Host x\n",
  "me/.aws/credentials": "CANARY aws\n",
  "me/.netrc": "machine x password CANARY\n",
  "me/.bashrc": "echo CANARY\n",
  "me/.gitconfig": "[user]\n\tname = me\n\temail = me@localhost\n",
  "me/notes.txt": "CANARY home\n",
  "me/other/o.txt": "CANARY other\n",
  "me/other/deep/d.txt": "CANARY deep\n",
  [`${project}/README.md`]: "# Read\nCANARY b\na\n",
  [`${project}/package.json`]: '{ "name": "p", "version": "1.0.0", "scripts": { "test": "true" } }\n',
  [`${project}/Makefile`]: "all:\n\ttrue\n",
  [`${project}/src/a.txt`]: "a 1\nb 2\nCANARY 3\n",
  [`${project}/src/b.txt`]: "a 1\nc 2\n",
  [`${project}/src/deep/e.txt`]: "e\n",
  [`${project}/src/main.js`]: "console.log(1);\n",
  [`${project}/docs/d.md`]: "d\n",
  [`${project}/data.csv`]: "1,2,3\n4,5,6\n",
  [`${project}/names.txt`]: "src/a.txt\n../other/o.txt\n",
  [`${project}/names0`]: "src/a.txt\0../other/o.txt\0",
  [`${project}/evil`]: "#!/bin/sh\nexit 0\n",
};

/** Not in the history of git. */
const untracked: Readonly<Record<string, string>> = {
  [`${project}/.env`]: "SECRET=CANARY\n",
  [`${project}/.envrc`]: "export X=1\n",
  [`${project}/untracked.txt`]: "only here\n",
  [`${project}/dist/out.js`]: "1;\n",
};

/** With their targets. */
const links: Readonly<Record<string, string>> = {
  [`${project}/lnk`]: "../other",
  [`${project}/lf`]: "../other/o.txt",
  [`${project}/key`]: "../.ssh/id_rsa",
  [`${project}/abs`]: "/users/me/other",
  [`${project}/inside`]: "src",
  [`${project}/src/up`]: "../../other",
  [`${project}/hooks`]: ".git/hooks",
};

/** Makes it in a folder of the system for temporary files. */
export async function makeCanaryTree(): Promise<CanaryTree> {
  const folder = mkdtempSync(join(tmpdir(), "lectern-canaries-"));
  writeAll(folder, files);
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(folder, name));
  chmodSync(join(folder, project, "evil"), 0o755);
  writeFileSync(join(folder, project, ".gitignore"), "dist\n.env\n");
  commitAll(join(folder, project));
  mkdirSync(join(folder, project, ".git/hooks"));
  writeAll(folder, untracked);
  writeFileSync(join(folder, project, "src/b.txt"), "changed\n");
  await plantSocket(join(folder, "me/.ssh/agent.sock"));
  const paths = globSync("**", { cwd: folder, withFileTypes: true }).map((entry) => join(entry.parentPath, entry.name));
  const inBox = (path: string): string => `/users${path.slice(folder.length)}`;
  return {
    folder,
    workingDirectory: `/users/${project}`,
    links: new Map(paths.filter(isLink).map((path) => [inBox(path), readlinkSync(path)])),
    folders: new Set(paths.filter((path) => lstatSync(path).isDirectory()).map(inBox)),
    files: new Set(paths.filter((path) => lstatSync(path).isFile()).map(inBox)),
    [Symbol.asyncDispose]: () => {
      rmSync(folder, { recursive: true, force: true });
      return Promise.resolve();
    },
  };
}

const isLink = (path: string): boolean => lstatSync(path).isSymbolicLink();

function writeAll(folder: string, texts: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

function commitAll(folder: string): void {
  const who = ["-c", "user.name=me", "-c", "user.email=me@localhost"];
  const date = "2020-01-01T00:00:00Z";
  for (const words of [
    ["init", "-q", "-b", "main", "--template=", "."],
    ["add", "-A"],
    [...who, "commit", "-qm", "one"],
    ["branch", "side"],
    ["tag", "v1"],
    ["gc", "-q"],
    ["remote", "add", "origin", "https://localhost/x.git"],
  ]) {
    const done = spawnSync("git", words, {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
    });
    if (done.status !== 0) throw new Error(`git ${words.join(" ")}: ${done.stderr}`);
  }
}

/** A socket without a server: who connects to it is seen, and refused. */
async function plantSocket(path: string): Promise<void> {
  const server = createServer().listen(`${path}.new`);
  await once(server, "listening");
  // The server removes only the name that it gave.
  renameSync(`${path}.new`, path);
  server.close();
  await once(server, "close");
}
