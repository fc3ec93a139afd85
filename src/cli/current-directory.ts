/** Where a command was started. */

/** If that directory was removed, as by `lectern task rm` from inside of it, the name that the shell still has for it. */
export function currentDirectory(environment: Readonly<Record<string, string | undefined>>): string {
  try {
    return process.cwd();
  } catch {
    return environment["PWD"] ?? "/";
  }
}
