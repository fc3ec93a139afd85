/** Files of the root that a program inside may change, because they are sources, and that a build or an installation of a person executes. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { SandboxFinding } from "../../protocol/session.ts";
import { fileText } from "./git-places.ts";

/** `npm install` runs them without being asked to. */
const installScripts = "preinstall install postinstall prepublish preprepare prepare postprepare dependencies".split(
  " ",
);

interface BuildFile {
  readonly name: string;
  readonly by: string;
  /** What of its text is executed. */
  readonly executed: (text: string) => string;
}

const buildFiles: readonly BuildFile[] = [
  { name: "package.json", by: "npm install", executed: scriptsOf },
  { name: "Makefile", by: "make", executed: (text) => text },
  { name: "makefile", by: "make", executed: (text) => text },
];

/** All of a file that cannot be read as JSON. */
function scriptsOf(text: string): string {
  try {
    const { scripts } = JSON.parse(text) as { scripts?: Readonly<Record<string, unknown>> | null };
    return JSON.stringify(installScripts.map((name) => scripts?.[name] ?? null));
  } catch {
    return text;
  }
}

const stateOf = (root: string, { executed, name }: BuildFile): string =>
  createHash("sha256")
    .update(executed(fileText(join(root, name))))
    .digest("base64");

/** By name: hashes of what is executed. */
export const buildStates = (root: string): Readonly<Record<string, string>> =>
  Object.fromEntries(buildFiles.map((file) => [file.name, stateOf(root, file)]));

/** Those of which something else is executed than at the start. */
export const changedBuilds = (root: string, before: Readonly<Record<string, string>>): readonly SandboxFinding[] =>
  buildFiles
    .filter((file) => before[file.name] !== undefined && before[file.name] !== stateOf(root, file))
    .map(({ by, name }) => ({ what: "build", path: join(root, name), detail: by }));
