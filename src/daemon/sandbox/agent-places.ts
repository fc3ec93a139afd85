/**
 * What an agent needs in the home directory, which is read-only inside: copies of its settings, empty places for what it can lose, and a place
 * for its conversations. Nothing that it changes there is executed by a later run.
 */
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { LaunchSandboxData } from "../../core/agents/agent-file.ts";
import { isAtOrBelow, isVisible, type SandboxMount, type StandIn } from "../../core/sandbox/plan.ts";
import type { SandboxProfile } from "../../core/sandbox/profile.ts";
import { standInFor } from "../../core/sandbox/protected-places.ts";
import { realPath, statsOf, type MountTable } from "./mount-table.ts";
import { directoriesIn } from "./private-copies.ts";

export type AgentPlaces = Pick<LaunchSandboxData, "private" | "fresh" | "write">;

interface Surroundings {
  readonly profile: SandboxProfile;
  readonly pathOf: (entry: string) => string;
  /** Real path; undefined if the program has none. */
  readonly home: string | undefined;
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
}

type Kind = Extract<SandboxMount["kind"], "private" | "memory" | "writable">;

/** What the profile hides or names itself stays so. A profile that writes nothing but $TMP keeps nothing of an agent either. */
export function addAgentPlaces(table: MountTable, places: AgentPlaces, around: Surroundings): void {
  const { home, profile } = around;
  if (home === undefined || statsOf(home) === undefined) return;
  // What contains the home directory, such as the working directory, says nothing about an agent.
  const named = [...profile.readOnly, ...profile.hide, ...profile.write]
    .map(around.pathOf)
    .filter((path) => !isAtOrBelow(home, path));
  const keeps = profile.write.some((entry) => entry !== "$TMP");
  const wanted = [
    ...placesOf("private", places.private, { ...around, home }),
    ...placesOf("memory", places.fresh, { ...around, home }),
    ...placesOf(keeps ? "writable" : "memory", places.write, { ...around, home }),
  ];
  // Parents before what they contain.
  for (const { kind, place } of wanted.toSorted((left, right) => (left.place.path < right.place.path ? -1 : 1))) {
    const real = realPath(place.path);
    const isFree = (path: string): boolean =>
      isVisible(table.list, path) &&
      ![home, around.workingDirectory].some((own) => isAtOrBelow(own, path)) &&
      !named.some((other) => isAtOrBelow(path, other));
    if (!isFree(real ?? place.path)) continue;
    if (real === undefined) make(table, place, kind);
    // A link is followed only to something that is not changed.
    else if (real === place.path || kind === "private") add(table, real, kind);
  }
}

function add(table: MountTable, path: string, kind: Kind): void {
  const inner = kind === "private" ? directoriesIn(path).filter((each) => isVisible(table.list, each)) : [];
  for (const directory of inner) table.set(directory, "read-only");
  table.set(path, kind);
}

/** With the directories above it that do not exist either. */
function make(table: MountTable, standIn: StandIn, kind: Kind): void {
  const missing: string[] = [];
  for (let above = dirname(standIn.path); statsOf(above) === undefined; above = dirname(above)) missing.unshift(above);
  // In a copy the agent makes it itself, if it does not have to stay.
  if (kind !== "writable" && ["private", "memory"].includes(table.kindOf(dirname(standIn.path)))) return;
  // Below a link, the place would be made somewhere else.
  const [first = standIn.path] = missing;
  if (realPath(dirname(first)) !== dirname(first)) return;
  for (const path of missing) table.make({ path, text: null });
  table.make(standIn);
  table.set(standIn.path, kind);
}

function placesOf(
  kind: Kind,
  entries: readonly string[] = [],
  around: Surroundings & { readonly home: string },
): { readonly kind: Kind; readonly place: StandIn }[] {
  return entries.flatMap((entry) => {
    const path = expanded(entry, around);
    return path === undefined ? [] : [{ kind, place: withContent(standInFor(path)) }];
  });
}

/** Undefined if the variable that names the directory has no absolute path. */
function expanded(
  entry: string,
  { environment, home, workingDirectory }: Surroundings & { readonly home: string },
): string | undefined {
  const [, variable, otherwise = "~", rest = ""] = /^(?:\{(\w+):([^}]*)\}|~)(\/.*)$/.exec(entry) ?? [];
  const given = variable === undefined ? "" : (environment[variable] ?? "");
  if (given !== "" && !isAbsolute(given)) return undefined;
  const directory = given === "" ? join(home, otherwise.slice(1)) : resolve(given);
  return `${directory}${rest.replace("{project}", workingDirectory.replaceAll(/[^A-Za-z0-9]/g, "-"))}`;
}

/** A file of JSON that is empty would be taken for a damaged one. */
const withContent = ({ path, text }: StandIn): StandIn => ({
  path,
  text: text !== null && path.endsWith(".json") ? "{}\n" : text,
});
