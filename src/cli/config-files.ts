/** The files of the configuration: that of the data directory, and that of the project around a directory. */
import { lstatSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CheckedConfig, ConfigKind } from "../core/config/check-config.ts";
import type { CliContext } from "./context.ts";

export const CONFIG_NAME = "lectern.yaml";

export interface ConfigFile {
  readonly kind: ConfigKind;
  readonly path: string;
  /** Undefined if the file does not exist. */
  readonly checked: CheckedConfig | undefined;
}

interface Search {
  readonly home: string | undefined;
  /** It is not the file of a project, wherever it lies. */
  readonly userFile: string;
  /** Undefined on a system without users. */
  readonly userId: number | undefined;
}

/**
 * The nearest `lectern.yaml` in `directory` or above, up to the root of a git repository, and below the home directory. Neither a directory
 * nor a file of another user counts: in `/tmp`, anybody can put one.
 */
export function findProjectFile(directory: string, { home, userFile, userId }: Search): string | undefined {
  for (let current = directory; ; current = dirname(current)) {
    if (current === home || current === dirname(current) || !isOwn(current, userId)) return undefined;
    const path = join(current, CONFIG_NAME);
    if (path !== userFile && isOwn(path, userId)) return path;
    if (lstatSync(join(current, ".git"), { throwIfNoEntry: false }) !== undefined) return undefined;
  }
}

/** False if it does not exist or cannot be read. */
function isOwn(path: string, userId: number | undefined): boolean {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats !== undefined && (userId === undefined || stats.uid === userId);
  } catch {
    return false;
  }
}

const projectFileOf = (
  directory: string,
  { environment, paths }: Pick<CliContext, "environment" | "paths">,
): string | undefined =>
  findProjectFile(directory, {
    home: environment["HOME"],
    userFile: paths.configFile,
    userId: process.getuid?.(),
  });

/** Both files as they are; the second one only if there is one. */
export async function readConfigFiles(
  directory: string,
  context: Pick<CliContext, "environment" | "paths">,
): Promise<readonly [ConfigFile, ...ConfigFile[]]> {
  const project = projectFileOf(directory, context);
  const [user, ...others] = await Promise.all([
    readOne(context.paths.configFile, "user"),
    ...(project === undefined ? [] : [readOne(project, "project")]),
  ]);
  return [user, ...others];
}

/** Loads nothing for a file that does not exist. */
export async function readOne(path: string, kind: ConfigKind): Promise<ConfigFile> {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return { kind, path, checked: undefined };
  const { readConfig } = await import("../daemon/config/read-config.ts");
  return { kind, path, checked: await readConfig(path, kind) };
}
