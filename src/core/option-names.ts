/** Checks the names of options: JavaScript ignores one that does not exist, and the call then does something else. */
import { LecternError } from "./errors.ts";
import { didYouMean } from "./text/nearest.ts";

/** Every option of `Options`, so that the compiler reports one that is missing from the list. */
export type OptionNames<Options> = { readonly [Name in keyof Required<Options>]: true };

/** Names of other libraries for what has another name here. */
const synonyms: Readonly<Record<string, string>> = {
  cols: "columns",
  cwd: "workingDirectory",
  env: "environment",
  height: "rows",
  width: "columns",
};

/** `did you mean "timeoutMs"?`, or the known names if none is near. */
export function meantName(given: string, known: readonly string[]): string {
  const synonym = synonyms[given];
  if (synonym !== undefined && known.includes(synonym)) return `did you mean "${synonym}"?`;
  return didYouMean(given, known) ?? `wanted one of ${known.join(", ")}`;
}

/** Throws `INVALID_INPUT` with the nearest known name for an option that `where` does not have. */
export function checkOptions(where: string, given: object, known: Readonly<Record<string, true>>): void {
  const wrong = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (wrong === undefined) return;
  const shown = wrong.slice(0, 60);
  throw new LecternError(
    "INVALID_INPUT",
    `Cannot take the option "${shown}" of ${where}: ${meantName(wrong, Object.keys(known))}`,
  );
}
