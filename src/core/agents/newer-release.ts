/** Whether a release of an agent is newer than those that its rules were measured on. */

const release = /\bv(\d{1,4}\.\d{1,4}\.\d{1,6})\b/;
const VERSION_CHARS_MAX = 400;

/** The release that an agent names at its start, such as `1.6.0`; null if it names none. */
export const releaseIn = (welcome: string): string | null =>
  release.exec(welcome.slice(0, VERSION_CHARS_MAX))?.[1] ?? null;

/** Compares `1.6.0` with `0.87.1`, number by number; what follows a dash does not count. */
export function isNewerRelease(version: string, recorded: string): boolean {
  const [own, known] = [numbersOf(version), numbersOf(recorded)];
  const index = own.findIndex((number, at) => number !== (known[at] ?? 0));
  return index !== -1 && (own[index] ?? 0) > (known[index] ?? 0);
}

const numbersOf = (version: string): readonly number[] => version.replace(/-.*$/, "").split(".").map(Number);

/** Says so, for people. */
export const newerRelease = (title: string, version: string, recorded: string): string =>
  `${title} ${version} is newer than the release ${recorded} that its rules were measured on`;
