/** What each policy promises about the commands that it allows, as a check of one observed effect. */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { shippedPolicyText } from "../../src/cli/shipped-policies.ts";
import { programOf, type ObservedEffect } from "./observed-effects.ts";

const fixture = (name: string): string =>
  readFileSync(join(import.meta.dirname, `../fixtures/effects/${name}.yaml`), "utf8");

export const policyTexts = {
  coding: shippedPolicyText("coding"),
  ci: shippedPolicyText("ci"),
  review: shippedPolicyText("review"),
  look: fixture("look"),
  deny: fixture("deny"),
} as const;
export type PolicyName = keyof typeof policyTexts;
export const policyNames = Object.keys(policyTexts) as readonly PolicyName[];

const project = "/users/me/project";
const here = /^(?:\/users\/me\/project|\/tmp)(?:\/|$)/;
const credentials = /^\/users\/me\/(?:\.(?:ssh|aws)(?:\/|$)|\.netrc$|project\/\.env$)/;
const executedLater =
  /^\/users\/me\/(?:\.\w+rc$|project\/(?:\.git\/(?:hooks|info\/attributes|config)(?:\/(?!.*\.sample$)|$)|\.(?:github|vscode|husky)(?:\/|$)|package\.json$|Makefile$|\.envrc$))/;
/** Not in the history of git, nor build output. `mv` gives it another name, and a stash keeps it. */
const onlyHere = /^\/users\/me\/project\/(?:\.envrc|\.env|untracked\.txt)$/;
/** They run what is in the project: effects of that are for a sandbox. */
const codeRunners = /^(?:node|npm|npx|make|python[\d.]*|perl|ruby|pip)$/;
const remote = /\bgit\b.*\b(?:fetch|pull|push|clone|ls-remote|remote)\b/s;
const changesPath: ReadonlySet<string> = new Set(["write", "delete", "mode", "times", "scratch"]);

const isOfCode = ({ programs }: ObservedEffect, isRun: boolean): boolean =>
  programs
    .slice(1, isRun ? -1 : undefined)
    .some((path) => path.startsWith("/users/") || codeRunners.test(basename(path)));

/** Undefined: the policy allows such an effect. Otherwise the class of the breach. */
export function breachOf(policy: PolicyName, effect: ObservedEffect, text: string): string | undefined {
  const { kind, target } = effect;
  const isReader = policy === "review" || policy === "look";
  if (isOfCode(effect, kind === "run")) return undefined;
  const isGit = effect.programs.some((path) => basename(path) === "git");
  if (kind === "run") return isReader && target.startsWith("/users/") ? "runs a program of the project" : undefined;
  if (kind === "network") return policy !== "deny" && !(isGit && remote.test(text)) ? "uses the network" : undefined;
  if (kind === "socket") return "connects to a socket";
  if (kind === "kill") return policy === "deny" ? undefined : "ends another process";
  if (credentials.test(target) && !mayTouchCredentials(effect, isGit, text)) return `${kind}s credentials`;
  if (policy === "deny" || target.startsWith("/dev/")) return undefined;
  if (changesPath.has(kind)) return changeBreach(effect, { isReader, isGit, text });
  // It opens the file to have its file system mounted, and reads nothing.
  if (programOf(effect) === "df") return undefined;
  return here.test(target) || isConfigurationOfGit(target, isGit) ? undefined : `${kind}s outside of the project`;
}

/**
 * `file` prints only a type, and git reads `.netrc` for a remote repository. That a walk of the whole project meets its `.env` is a limit
 * ([why](../../docs/decisions/policy.md)).
 */
const mayTouchCredentials = (effect: ObservedEffect, isGit: boolean, text: string): boolean =>
  (effect.target === `${project}/.env` && !/\.e/.test(text)) ||
  (programOf(effect) === "file" && effect.kind === "read" && here.test(effect.target)) ||
  (isGit && effect.kind === "read" && effect.target.endsWith("/.netrc"));

const isConfigurationOfGit = (target: string, isGit: boolean): boolean =>
  isGit && /^\/users\/me\/\.(?:gitconfig|netrc|config\/git\/.*)$/.test(target);

interface Breaching {
  readonly isReader: boolean;
  readonly isGit: boolean;
  readonly text: string;
}

/** Tracked files come from the history, as with a pull; `git mv` gives a file another name. It keeps branches in its configuration. */
const isOwnOfGit = ({ target }: ObservedEffect, isGit: boolean, text: string): boolean =>
  isGit && (target === `${project}/.git/config` || (!target.startsWith(`${project}/.git/`) && !/\bmv\b/.test(text)));

function changeBreach(effect: ObservedEffect, { isReader, isGit, text }: Breaching): string | undefined {
  const { kind, target } = effect;
  if (!here.test(target)) return `${kind}s outside of the project`;
  if (isReader)
    return (isGit && target === `${project}/.git/index`) || kind === "scratch"
      ? undefined
      : `${kind}s, and promises reading`;
  if (kind === "delete" && onlyHere.test(target) && programOf(effect) !== "mv" && !(isGit && /\bstash\b/.test(text)))
    return "deletes what git does not have";
  return executedLater.test(target) && !isOwnOfGit(effect, isGit, text) ? `${kind}s what is executed later` : undefined;
}
