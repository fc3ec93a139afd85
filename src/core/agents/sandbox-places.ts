/** Places of `launch.sandbox` that cannot be used. They are looked for in the complete file, since a file names only what it changes. */
import { homePlaces } from "../sandbox/protected-places.ts";
import type { AgentFile } from "./agent-file.ts";

export interface WrongPlace {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** `~/.name...`, or a variable with what it is if it is not set, and what is below that. */
const form = /^(?:~\/\.|\{[A-Z][A-Z0-9_]*:~(?:\/\.[^{}]+)?\}\/)(?:[^{}]|\{project\})*$/;
const kinds = ["private", "fresh", "write"] as const;

export function wrongPlaces({ launch }: AgentFile): WrongPlace[] {
  return kinds.flatMap((kind) =>
    (launch?.sandbox?.[kind] ?? []).flatMap((entry, index) => {
      const reason = reasonAgainst(entry, kind);
      if (reason === undefined) return [];
      const path = ["launch", "sandbox", kind, index];
      return [{ path, message: `Cannot use "${entry}" under "launch.sandbox.${kind}": ${reason}` }];
    }),
  );
}

function reasonAgainst(entry: string, kind: (typeof kinds)[number]): string | undefined {
  const parts = entry.split("/");
  if (!form.test(entry) || parts.some((part) => /^\.{1,2}\}?$/.test(part)))
    return 'wanted a place in the home directory whose name begins with a dot, such as "~/.mine/", or "{VARIABLE:~/.mine}/" if a variable can name another one';
  if (kind === "private") return undefined;
  if (!entry.endsWith("/")) return "wanted a directory, with a slash at the end";
  const usual = entry.replace(/^\{\w+:([^}]*)\}/, "$1").replace(/^~\//, "");
  const executed = homePlaces.find((place) => usual.startsWith(place) || place.startsWith(usual));
  if (kind === "fresh" || executed === undefined) return undefined;
  return `what is written in "~/${executed}" is executed later; put it under "private" or "fresh"`;
}
