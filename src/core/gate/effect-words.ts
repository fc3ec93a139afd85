/** The kinds of effects in the words of policies and messages. */
import type { ProgramEffect } from "./effects.ts";
import type { EffectKind } from "./program-entry.ts";
import type { PathList } from "./path-lists.ts";
import { visibleText } from "./visible-text.ts";

/** What a program does with its target, or does at all. */
const verbs: Readonly<Record<EffectKind, readonly [withTarget: string, alone: string]>> = {
  read: ["reads", "reads files that are not named"],
  inspect: ["inspects", "inspects files that are not named"],
  list: ["lists", "lists folders that are not named"],
  write: ["writes", "writes files that are not named"],
  replace: ["replaces", "replaces files that are not named"],
  scratch: ["writes temporary files in", "writes temporary files"],
  delete: ["deletes", "deletes files that are not named"],
  move: ["moves", "moves files that are not named"],
  mode: ["changes the mode of", "changes modes of files"],
  times: ["changes the times of", "changes times of files"],
  names: ["takes names of files from", "takes names of files from its input"],
  run: ["runs", "runs a program"],
  code: ["runs code of", "runs code"],
  network: ["uses the network for", "uses the network"],
  socket: ["connects to", "connects to a socket"],
  settings: ["changes settings:", "changes settings"],
  loses: ["loses changes in", "loses changes that git does not have"],
  unknown: ["does something unknown with", "does something unknown"],
};

/** What a name stands for: the program with its code, and words that nobody knows. Rules by name and runners vouch for it. */
export const programItself: ReadonlySet<EffectKind> = new Set(["run", "code", "unknown"]);

export const effectKinds = Object.keys(verbs) as readonly EffectKind[];

/**
 * `brought`: a path below the target that may be written.
 * `effectPhrase({ kind: "read", target: literalWord(".env"), text: "" }, []); // "reads .env"`
 */
export function effectPhrase(
  { kind, target, tree }: ProgramEffect,
  lists: readonly PathList[],
  brought?: string,
): string {
  const [withTarget, alone] = verbs[kind];
  if (target === null) return alone;
  const name = visibleText(target.value ?? target.text);
  if (brought !== undefined) return `may write ${visibleText(brought)} below ${name}`;
  const below = tree === undefined ? "" : " and what is below it";
  const known = lists.map(({ phrase }) => `, which ${phrase}`).join("");
  return `${withTarget} ${name}${below}${known}`;
}
