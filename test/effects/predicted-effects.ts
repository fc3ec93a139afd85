/** What the records of programs predict for a text, as a check of what a tracer saw of it. */
import { basename, dirname } from "node:path";
import type { EffectKind } from "../../src/core/gate/program-entry.ts";
import { readCommand, type ProgramEffect } from "../../src/core/gate/effects.ts";
import { analyzeShell } from "../../src/core/gate/shell.ts";
import type { ShellWord } from "../../src/core/gate/shell-words.ts";
import { realPath, type KnownTree, type ObservedEffect, type ObservedKind } from "./observed-effects.ts";

export interface Prediction {
  /** Something in it has no record, so nothing can be said. */
  readonly isWithoutRecord: boolean;
  /** Part of it is unknown or code: every effect is predicted. */
  readonly isOpen: boolean;
  readonly covers: (effect: ObservedEffect) => boolean;
  /** What is written by certainty; a target that may be a file or a folder has several paths. */
  readonly writes: readonly (readonly string[])[];
}

/** By what is seen: the effects that predict it. */
const covering: Readonly<Partial<Record<ObservedKind, readonly EffectKind[]>>> = {
  read: ["read", "inspect", "names", "move", "replace", "write"],
  list: ["read", "inspect", "list", "names", "move", "delete", "write", "replace", "mode", "times"],
  write: ["write", "replace", "loses"],
  delete: ["delete", "move", "replace", "loses"],
  mode: ["mode", "write", "replace", "times"],
  times: ["times", "write", "replace", "mode"],
  network: ["network"],
  socket: ["socket", "network"],
  // Records call the state of other programs settings.
  kill: ["settings"],
};

/** What git writes in its own folder, by the step of the record. */
const gitSteps: Readonly<Record<string, RegExp>> = {
  refresh: /^(?:index|index\.stash\.\d+|sharedindex\.\w+|objects)(?:\/|$)/,
  patch: /^(?!)/,
  objects: /^objects(?:\/|$)/,
  tag: /^TAG_EDITMSG$/,
  // A branch that follows another one is in the configuration.
  refs: /^(?:config|objects|refs|logs|packed-refs|HEAD|ORIG_HEAD|AUTO_MERGE|MERGE_\w+|REBASE_HEAD|CHERRY_PICK_HEAD)(?:\/|$)/,
  worktree: /^(?:index|index\.stash\.\d+|objects|ORIG_HEAD)(?:\/|$)/,
  commit: /^(?:COMMIT_EDITMSG|MERGE_MSG|SQUASH_MSG|objects|index)(?:\/|$)/,
};

/** They can have any other effect, too: nobody knows which files the content of a file names. */
const openKinds: ReadonlySet<EffectKind> = new Set<EffectKind>(["unknown", "code", "run", "names"]);

/** They write to names that begin with the one that is predicted, too: `x.zip`, `x.bak`. */
const derivesNames = /^(?:zip|sed)$/;

interface Predicted {
  readonly kind: EffectKind;
  /** Real paths; undefined: any. */
  readonly paths: readonly string[] | undefined;
  readonly isTree: boolean;
}

export function predict(text: string, tree: KnownTree): Prediction {
  const predicted: Predicted[] = [];
  const runs = new Set<string>();
  const steps = new Set<string>();
  const writes: string[][] = [];
  const { actions, directories } = analyzeShell(text);
  // Where a path of a text that changes its folder begins is for the daemon.
  let [isWithoutRecord, isOpen] = [false, directories?.length !== 0];
  for (const action of actions) {
    if (action.type === "opaque") isOpen = true;
    if (action.type === "redirect")
      predicted.push({
        kind: action.access === "read" ? "read" : "write",
        paths: pathsOf(action.target, tree),
        isTree: false,
      });
    if (action.type === "redirect" && action.target.value?.startsWith("/dev/tcp/") === true)
      predicted.push({ kind: "network", paths: undefined, isTree: false });
    if (action.type !== "command") continue;
    const reading = readCommand(action.words);
    runs.add(basename(action.words[0]?.value ?? ""));
    if (reading === undefined) isWithoutRecord = true;
    for (const step of reading?.steps ?? []) steps.add(step);
    for (const helper of reading?.helpers ?? []) runs.add(helper);
    for (const effect of reading?.effects ?? []) {
      if (effect.isPossible === true) continue;
      if (openKinds.has(effect.kind)) isOpen = true;
      // A link below the target can lead anywhere.
      const known = effect.tree === "follows" ? null : effect.target;
      const paths = known === null ? undefined : pathsOf(known, tree);
      predicted.push({
        kind: effect.kind,
        paths,
        isTree: effect.tree !== undefined,
      });
      if (isCertainWrite(effect) && paths !== undefined) addWrite(writes, paths);
    }
  }
  const covers = (effect: ObservedEffect): boolean =>
    isOpen || runs.size === 0 || isCovered(effect, { predicted, runs, steps, tree });
  return { isWithoutRecord, isOpen, covers, writes };
}

/** The program itself, and what a script of git starts. */
const isOwnHelper = (name: string, programs: readonly string[]): boolean =>
  name === programs.at(-1) ||
  (programs.at(-1) === "git" && name.startsWith("git-")) ||
  programs.some((program) => program.startsWith("git-"));

const isCertainWrite = ({ kind, target, tree }: ProgramEffect): boolean =>
  (kind === "write" || kind === "replace") && tree === undefined && target?.value !== undefined;

/** The name of a source in the target belongs to the target. */
function addWrite(writes: string[][], paths: readonly string[]): void {
  const same = writes.find((known) => known.some((path) => paths.some((other) => dirname(other) === path)));
  if (same === undefined) writes.push([...paths]);
  else same.push(...paths);
}

interface Known {
  readonly predicted: readonly Predicted[];
  readonly runs: ReadonlySet<string>;
  readonly steps: ReadonlySet<string>;
  readonly tree: KnownTree;
}

function isCovered(effect: ObservedEffect, { predicted, runs, steps, tree }: Known): boolean {
  const { kind, programs, target } = effect;
  if (kind === "run")
    return (
      runs.has(basename(target)) ||
      isOwnHelper(
        basename(target),
        programs.slice(0, -1).map((path) => basename(path)),
      )
    );
  const ownGit = `${tree.workingDirectory}/.git`;
  if (programs.some((path) => basename(path) === "git")) {
    if (isReadOfGit(kind, target, steps, tree)) return true;
    const inside = target.startsWith(`${ownGit}/`) ? target.slice(ownGit.length + 1) : undefined;
    if (/^(?:config(?:\.worktree)?|info\/.*)$/.test(inside ?? "") && predicted.some((each) => each.kind === "settings"))
      return true;
    if (steps.has("worktree") && inside === undefined && target.startsWith(`${tree.workingDirectory}/`)) return true;
    if (inside !== undefined && [...steps].some((step) => gitSteps[step]?.test(inside) === true)) return true;
    // It removes a folder with its last file.
    const isEmptied = predicted.some(
      ({ kind: known, paths }) => known === "delete" && paths?.some((path) => path.startsWith(`${target}/`)),
    );
    if (kind === "delete" && isEmptied) return true;
    if (kind === "scratch" && (steps.has("worktree") || target === ownGit || inside !== undefined))
      return steps.size > 0;
  }
  if (kind === "scratch") return target === "/tmp" || predicted.some((each) => isScratchOf(each, target));
  // A glob lists the folders on its way.
  if (kind === "list" && programs.length === 1) return true;
  // `mkdir -p` makes the folders on the way.
  const isOnTheWay = predicted.some(
    (each) => each.kind === "write" && each.paths?.some((path) => path.startsWith(`${target}/`)),
  );
  if (kind === "write" && isOnTheWay && /\bmkdir(?:at)?\(/.test(effect.line)) return true;
  // A folder is opened to come back to it, or to have its names on the disk.
  if (
    kind === "list" &&
    (target === tree.workingDirectory || predicted.some(({ paths }) => paths?.some((path) => dirname(path) === target)))
  )
    return true;
  const isDerived = derivesNames.test(basename(programs[1] ?? ""));
  return predicted.some(
    (each) =>
      covering[kind]?.includes(each.kind) === true && (isAt(each, target) || (isDerived && isBesides(each, target))),
  );
}

/** It reads its own folder and settings always, and the project where it compares it. */
const isReadOfGit = (kind: ObservedKind, target: string, steps: ReadonlySet<string>, tree: KnownTree): boolean =>
  (kind === "read" || kind === "list") &&
  (/^\/users\/me\/\.(?:gitconfig|config\/git\/.*)$/.test(target) ||
    target.startsWith(`${tree.workingDirectory}/.git/`) ||
    (kind === "list" && target.startsWith(tree.workingDirectory)) ||
    /\/\.git(?:ignore|attributes)$/.test(target) ||
    (steps.size > 0 && (target === tree.workingDirectory || target.startsWith(`${tree.workingDirectory}/`))));

const isScratchOf = ({ kind, paths }: Predicted, folder: string): boolean =>
  paths === undefined
    ? kind === "scratch" || kind === "write"
    : paths.some(
        (path) =>
          path === folder ||
          (/^(?:write|replace|delete|move|loses)$/.test(kind) &&
            (dirname(path) === folder || folder.startsWith(`${path}/`))),
      );

const isAt = ({ isTree, paths }: Predicted, target: string): boolean =>
  paths === undefined ||
  paths.some((path) => path === target || (isTree && target.startsWith(`${path}/`)) || isOfPattern(path, target));

/** A name that did not exist before can match, too: `split a b` writes `baa`. */
const isOfPattern = (path: string, target: string): boolean =>
  path.endsWith("*") && target.startsWith(path.slice(0, -1)) && !target.slice(path.length - 1).includes("/");

const isBesides = ({ paths }: Predicted, target: string): boolean =>
  paths?.some((path) => target.startsWith(path) && !target.slice(path.length).includes("/")) === true;

/** The real paths of a word, with and without its last link followed; for a pattern those of all matches. */
function pathsOf(word: ShellWord, tree: KnownTree): readonly string[] | undefined {
  if (word.path === undefined) return word.isStream === true ? [] : undefined;
  const isHome = word.text.startsWith("~") && /^~(?:\/|$)/.test(word.path);
  const path = isHome ? `/users/me${word.path.slice(1)}` : word.path;
  const from = path.startsWith("/") ? path : `${tree.workingDirectory}/${path}`;
  const names = word.value === undefined && path.includes("*") ? [from, ...expanded(from, tree)] : [from];
  return names.flatMap((name) => [realPath(name, tree.links), realPath(name, tree.links, true)]);
}

function expanded(pattern: string, tree: KnownTree): readonly string[] {
  const entries = [...tree.files, ...tree.folders, ...tree.links.keys()];
  let found = [""];
  for (const segment of pattern.split("/").filter((part) => part !== "")) {
    if (!segment.includes("*")) {
      found = found.map((folder) => `${folder}/${segment}`);
      continue;
    }
    const shape = new RegExp(`^${segment.split("*").map(escaped).join(".*")}$`);
    found = found.flatMap((folder) => {
      const real = realPath(folder, tree.links);
      return entries
        .filter((entry) => dirname(entry) === real && shape.test(basename(entry)))
        .map((entry) => `${folder}/${basename(entry)}`);
    });
  }
  return found;
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
