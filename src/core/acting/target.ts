/** For whom an act is. It is typed for nobody else: what was written for an agent is a command to the shell behind it. */

/** What reads. A `shell` is also what may be one; `dialog ID` is the question of this approval. */
export type TargetKind = "shell" | "repl" | "line question" | "unknown" | `agent ${string}` | `dialog ${string}`;

export interface ActTarget {
  readonly kind: TargetKind;
  /** Null at a shell and in an unknown program. */
  readonly agent: string | null;
  /** Counts the agents that ran in the session. */
  readonly run: number;
  /** Name of the process that leads the group; null if it is not known. */
  readonly program: string | null;
  /** The process group; null if it is not known whether it belongs to the agent. */
  readonly group: number | null;
  /** The process of the group that was last seen reading, or else its leader; null if it is not known: the group decides. */
  readonly pid: number | null;
  /** When this process was started, in clock ticks since the start of the machine; null if that is not known. */
  readonly startTicks: number | null;
  /** Of this process: changes with each `exec`; null if the kernel does not show it. */
  readonly image: number | null;
  /**
   * Processes of the group when the program was seen reading, or an agent seen at work: what was started later, or has become another program
   * since, is another one. Of one that is only compared with, the process that reads. Null if it has yet to start: a wrapper may become it.
   */
  readonly members: readonly GroupProcess[] | null;
}

export type GroupProcess = Pick<ActTarget, "startTicks" | "image"> & { readonly pid: number };

/** How the script that sets a worktree up is known among the processes of a session: by its `$0`, which is so placed in its command line. */
export const SETUP_NAME = "lectern-setup";
export const SETUP_NAME_AT = 3;

/** What the pty host compares. */
export type TargetProcess = Pick<ActTarget, "group" | "pid" | "startTicks" | "image">;

/**
 * Whether `now` is the program that the prompt was accepted for.
 *
 * @example
 * ```ts
 * isTarget(claude, { ...claude, run: 2 }); // false
 * ```
 */
export function isTarget(wanted: ActTarget, now: ActTarget): boolean {
  const { agent, group, pid, members } = wanted;
  if (group !== null && (group !== now.group || !isSameProcess(wanted, now) || !isMember(now, members))) return false;
  if (agent !== null) return agent === now.agent && wanted.run === now.run;
  // An agent may be recognized only after it has started.
  if (now.agent !== null) return group !== null && wanted.kind !== "shell";
  return pid === now.pid || pid === null || now.pid === null || members === null || now.members === null;
}

function isSameProcess(wanted: ActTarget, now: ActTarget): boolean {
  if (wanted.pid !== now.pid) return true;
  const mayBecome = wanted.agent !== null && wanted.members === null;
  return isSame(mayBecome ? { ...wanted, image: null } : wanted, now);
}

/** True while nobody is seen reading: the leader of a group is no sign of who does. */
function isMember({ members: reading, pid, ...now }: ActTarget, members: ActTarget["members"]): boolean {
  if (members === null || reading === null || pid === null) return true;
  return members.some((each) => each.pid === pid && isSame(each, now));
}

/** Neither started at another time nor another program since. What is not known is no difference. */
export const isSame = (one: Pick<ActTarget, "startTicks" | "image">, now: typeof one): boolean =>
  !differs(one.startTicks, now.startTicks) && !differs(one.image, now.image);

const differs = (one: number | null, two: number | null): boolean => one !== null && two !== null && one !== two;

/** Why a prompt is not typed, with the next step. `hasEnded`: no process of the targets is left; null if that is not known. */
export function missedReason(
  targets: readonly ActTarget[],
  { hasEnded }: { readonly hasEnded: boolean | null },
): string {
  const names = [...new Set(targets.map(({ agent, program }) => agent ?? program ?? "another program"))].join(" or ");
  const left = hasEnded === null ? "which has ended or left the foreground" : "which is not in the foreground any more";
  const why = hasEnded === true ? "which has ended" : left;
  const next = hasEnded === true ? "runs again" : "is in the foreground";
  return `it was meant for ${names}, ${why}; send it again when ${names} ${next}`;
}
