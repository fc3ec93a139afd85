/**
 * Sessions that are started from inside a session. Where that one has a policy, the new one gets the same: text, servers, labels, home and
 * working directory, since rules depend on all of them.
 */
import { realpathSync } from "node:fs";
import { sep } from "node:path";
import { WIRE_ROUTES } from "../../core/agents/agent-file.ts";
import { LecternError } from "../../core/errors.ts";
import type { ParsedInputOf } from "../../protocol/operations.ts";
import type { WireSessions } from "../gateway/wire-sessions.ts";
import type { Caller } from "../service.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { Callers } from "./callers.ts";

type CreateInput = ParsedInputOf<"sessions.create">;
type ParentPolicy = NonNullable<ReturnType<WireSessions["givenPolicyOf"]>>;

export interface SessionStart extends CreateInput {
  /** Id of the session that it is started from. */
  readonly parent: string | undefined;
}

interface Judges {
  readonly callers: Callers;
  readonly wire: Pick<WireSessions, "givenPolicyOf">;
}

const action = { operation: "sessions.create", session: undefined } as const;

/** Throws `FORBIDDEN` and `INVALID_INPUT`. */
export function startFor(input: CreateInput, caller: Caller, { callers, wire }: Judges): SessionStart {
  if (input.mine) checkMine(input, caller, callers);
  if (input.onBlocked !== undefined && callers.standing(caller) !== "person")
    callers.refuse(caller, action, "only a person may give a session a command that runs outside of it");
  const parent = callers.sessionOf(caller);
  if (input.worktree !== undefined && (parent?.stored.sandbox !== undefined || callers.standing(caller) === "gated"))
    callers.refuse(caller, action, "a new worktree is outside of the directory for which its sandbox or policy holds");
  if (parent?.stored.sandbox !== undefined)
    input = withinSandboxOf(parent, input, (reason) => callers.refuse(caller, action, reason));
  const policy = parent === undefined ? undefined : wire.givenPolicyOf(parent);
  if (parent !== undefined && policy !== undefined) {
    const refuse = (reason: string): never => callers.refuse(caller, action, reason);
    return { ...withPolicyOf(parent, policy, { input, refuse }), parent: parent.id };
  }
  if (callers.standing(caller) === "gated") {
    callers.refuse(
      caller,
      action,
      "a new session gets the policy of the session that starts it, and that one is not known",
    );
  }
  return { ...input, parent: parent?.id };
}

/** A sandbox lets its programs write in the working directory, so a session that one of them starts has no other one. */
function withinSandboxOf(parent: SessionEntry, input: CreateInput, refuse: (reason: string) => never): CreateInput {
  const { name, sandbox, workingDirectory: root } = parent.stored;
  const workingDirectory = input.workingDirectory ?? root;
  if (isWithin(workingDirectory, root)) return { ...input, workingDirectory, sandbox: undefined };
  return refuse(
    `it gets the sandbox "${sandbox?.profile}" of session "${name}", which holds for "${root}" and below, and the working directory "${workingDirectory}" is elsewhere`,
  );
}

/** Throws for a workplace that would give an agent, or a program inside a session, the rights of a person. */
function checkMine(input: CreateInput, caller: Caller, callers: Callers): void {
  if (callers.standing(caller) !== "person")
    callers.refuse(caller, action, "only a person may start a workplace of their own");
  if (caller.scope !== "admin") {
    throw new LecternError(
      "FORBIDDEN",
      'Cannot use "mine" with this token: programs in the session may do everything, so it needs "admin"',
    );
  }
  if (input.wire !== undefined)
    throw new LecternError("INVALID_INPUT", 'Cannot combine "mine" with the gateway or a policy');
  const agent = input.agent ?? callers.agentOf(input.command);
  if (agent === null) return;
  throw new LecternError("INVALID_INPUT", `Cannot use "mine" for the agent "${agent}": it would act as you`);
}

function withPolicyOf(
  parent: SessionEntry,
  policy: ParentPolicy,
  { input, refuse }: { readonly input: CreateInput; readonly refuse: (reason: string) => never },
): Omit<SessionStart, "parent"> {
  const { labels: ownLabels, name, workingDirectory: root } = parent.stored;
  const same = `the new session gets what session "${name}" has`;
  if (input.wire?.policy !== undefined && input.wire.policy !== policy.policy)
    refuse(`${same}, and this is another policy`);
  for (const route of WIRE_ROUTES) {
    const url = input.wire?.upstreams?.[route];
    if (url !== undefined && url !== policy.upstreams?.[route])
      refuse(`${same}, and the upstream of "${route}" is another one`);
  }
  for (const [key, value] of Object.entries(input.labels)) {
    if (ownLabels[key] !== value) refuse(`${same}, and its policy may depend on the label "${key}"`);
  }
  const workingDirectory = input.workingDirectory ?? root;
  if (!isWithin(workingDirectory, root))
    refuse(`its policy holds for "${root}" and below, and the working directory "${workingDirectory}" is elsewhere`);
  return { ...input, wire: policy, labels: { ...ownLabels }, workingDirectory };
}

/** Links are followed. False for a directory that does not exist. */
function isWithin(directory: string, root: string): boolean {
  try {
    const [inner, outer] = [realpathSync(directory), realpathSync(root)];
    return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : `${outer}${sep}`);
  } catch {
    return false;
  }
}
