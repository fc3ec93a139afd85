/** How the user types this command: hints must work as they are printed. */
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, isAbsolute, join, relative, resolve } from "node:path";
import { currentDirectory } from "./current-directory.ts";
import { quoteShellWords } from "../core/text/command-line.ts";

const ownLauncher = resolve(import.meta.dirname, "../../bin/lectern.mjs");

/**
 * `lectern` where it is in the PATH of the user's shell, else the path of the launcher: under `npx` too, which would look in a registry.
 * `npm start` puts directories in front of the PATH that the shell does not have.
 */
export function commandName(
  environment: Readonly<Record<string, string | undefined>>,
  directory: string = currentDirectory(environment),
  launcher = ownLauncher,
): string {
  const isByNpm = environment["npm_lifecycle_event"] !== undefined;
  const folders = (environment["PATH"] ?? "").split(delimiter).filter((folder) => {
    const isAdded = isByNpm && /[/\\]node_modules[/\\]\.bin$|[/\\]node-gyp-bin$/.test(folder);
    return isAbsolute(folder) && !isAdded;
  });
  if (folders.some((folder) => isProgram(join(folder, "lectern")))) return "lectern";
  if (!existsSync(launcher)) return "lectern";
  const near = relative(directory, launcher);
  const shown = quoteShellWords([near.startsWith("..") ? launcher : near]);
  return isProgram(launcher) ? shown : `node ${shown}`;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
