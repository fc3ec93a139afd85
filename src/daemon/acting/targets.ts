/** Who is in the foreground of a session, by the kernel. Nothing else decides for whom an act is; the pty host compares it when it types. */
import { setTimeout as sleep } from "node:timers/promises";
import { LecternError } from "../../core/errors.ts";
import { isShellProgram } from "../../core/agents/command-line.ts";
import type { Draft, Reader } from "../../core/acting/draft.ts";
import type { SignalKind } from "../../core/status/status.ts";
import {
  isSame,
  isTarget,
  missedReason,
  SETUP_NAME,
  SETUP_NAME_AT,
  type ActTarget,
  type GroupProcess,
} from "../../core/acting/target.ts";
import { runsScript } from "../../core/events/shell-arguments.ts";
import { waits } from "../../core/waits.ts";
import { argumentsOf, isBecomingProgram, linkOfDescriptor, readLivingStat, readStat } from "../../pty/proc-files.ts";
import { processIn } from "../../pty/reading-process.ts";
import { processesOfGroup } from "../../pty/session-processes.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";

/** They make commands of the lines that they read. */
const RUNNERS: ReadonlySet<string> = new Set(["xargs", "parallel"]);

/** Of what an agent draws and sends: a wrapper that starts it gives none of them. */
const OWN_SIGNALS: ReadonlySet<SignalKind> = new Set(["protocol", "wire", "osc-7501", "title", "agent-file", "screen"]);

/** What the views see of who reads. */
type Seen = Pick<Draft, "reader"> & Partial<Pick<Draft, "kind">>;

/**
 * For whom a prompt is accepted while this program is in the foreground. If it has not read yet, it may be a command after which the one
 * that read before goes on. Empty if nobody has read yet, or the program is not started. Throws `CONFLICT` for what may be a shell, unless meant.
 */
export async function targetsOf(
  entry: SessionEntry,
  seen: Seen,
  { isForShell, isFirst = false }: { readonly isForShell: boolean; readonly isFirst?: boolean },
): Promise<ActTarget[]> {
  const { reader } = seen;
  if (isSettingUp(entry)) return [];
  // For that moment the kernel does not show whether a shell runs a script.
  const deadline = performance.now() + waits.answerMs;
  while (isBecomingProgram(foregroundGroup(entry) ?? 0) && performance.now() < deadline) await sleep(waits.pollMs);
  const now = promptedNow(entry, seen);
  if (!isForShell && !isFirst && now.kind === "shell")
    throw new LecternError("CONFLICT", `Cannot prompt "${entry.stored.name}": ${whyNoShell(entry, now)}`);
  // A shell is about to start the agent, or the agent has just left it the foreground.
  const isShellMeant = isForShell && now.kind === "shell";
  if (reader.agent !== null) return [now.agent !== null || isShellMeant ? seenNow(now, entry) : unknownTarget(seen)];
  if (now.group === null) return [];
  // The marks of a shell come before the kernel is asked.
  if (reader.lastPid === null) return entry.status?.state === "waiting" ? [now] : [];
  const last = readLivingStat(reader.lastPid)?.group;
  if (last === undefined || last === now.group) return [now];
  const before = targetIn(last, { reader });
  return before.kind === "shell" && !isForShell ? [now] : [now, before];
}

/** The set-up of its worktree runs, and the program of the session is not started yet. Also in a sandbox, whose walls lead the group. */
export function isSettingUp({ leaderPid, stored }: Pick<SessionEntry, "leaderPid" | "stored">): boolean {
  if (stored.worktree === undefined || leaderPid === null) return false;
  const isSetup = (pid: number): boolean => argumentsOf(pid)?.[SETUP_NAME_AT] === SETUP_NAME;
  if (stored.sandbox === undefined) return isSetup(leaderPid);
  return processesOfGroup(leaderPid).some(({ pid }) => isSetup(pid));
}

/** Undefined where the kernel does not tell. */
export const foregroundGroup = ({ leaderPid }: Pick<SessionEntry, "leaderPid">): number | undefined =>
  leaderPid === null ? undefined : readStat(leaderPid)?.foregroundGroup;

/** The program in the foreground. */
export const targetNow = (entry: Pick<SessionEntry, "leaderPid">, seen: Seen): ActTarget =>
  targetIn(foregroundGroup(entry), seen);

/**
 * The same with all members of its group, a `shell` also if it hands its text on to one, as in `cat | sh`: every process of the machine is
 * looked at.
 */
export function promptedNow(entry: Pick<SessionEntry, "leaderPid">, seen: Seen): ActTarget {
  const target = targetNow(entry, seen);
  const { group, agent, members } = target;
  if (group === null) return target;
  const processes = processesOfGroup(group);
  const isHandedOn = processes.some(
    ({ pid, program }) => RUNNERS.has(program) || (pid !== seen.reader.pid && runsLines(pid, program)),
  );
  return {
    ...target,
    kind: agent === null && isHandedOn ? "shell" : target.kind,
    members: members && membersOf(processes, target),
  };
}

/** A shell that was not seen reading while another process was has started that one. */
const membersOf = (processes: ReturnType<typeof processesOfGroup>, { pid: reading, members }: ActTarget) =>
  processes
    .filter(({ pid, program }) => members === null || pid === reading || !isShellProgram(program))
    .map(({ pid, startTicks, image }): GroupProcess => ({ pid, startTicks, image }));

/** False if it is none of the targets, or not whom the views saw. Without targets, everybody whom they saw is meant. */
export function isMeant(now: ActTarget, { agent, pid }: Reader, targets: readonly ActTarget[] = []): boolean {
  const isSeen = now.agent === agent && (pid === null || now.group === null || now.pid === pid);
  return isSeen && (targets.length === 0 || targets.some((each) => isTarget(each, now)));
}

/** No process is left of it that could read what is typed; false if that is not known. */
export function hasEnded({ group, pid, startTicks, members }: ActTarget): boolean {
  if (group === null || startTicks === null) return false;
  const isLeft = (each: GroupProcess): boolean => {
    const stat = readLivingStat(each.pid);
    return stat !== undefined && isSame(each, stat) && (each.pid === pid || mayRead(each.pid));
  };
  if (members !== null) return !members.some(isLeft);
  const leader = readLivingStat(pid ?? group);
  return leader === undefined ? processesOfGroup(group).length === 0 : leader.startTicks !== startTicks;
}

/**
 * Others could read what is typed, and no member could: the next agent of a script draws its box before the kernel shows who reads. A shell is
 * neither: it waits for what it has started.
 */
export function isReplaced({ group, members }: ActTarget): boolean {
  if (group === null || members === null) return false;
  const readers = processesOfGroup(group).filter(({ pid, program }) => !isShellProgram(program) && mayRead(pid));
  const isMember = (now: GroupProcess): boolean => members.some((each) => each.pid === now.pid && isSame(each, now));
  return readers.length > 0 && !readers.some(isMember);
}

/** A server that the agent has started reads a pipe, and may outlive it. */
const mayRead = (pid: number): boolean => /^\/dev\/(?:pts\/|tty|console)/.test(linkOfDescriptor(pid, 0) ?? "/dev/tty");

/** It is alive, and another process group is in the foreground of its terminal. */
export function isBehind({ pid, group, startTicks }: ActTarget): boolean {
  const stat = pid === null ? undefined : readLivingStat(pid);
  return stat !== undefined && stat.startTicks === startTicks && stat.foregroundGroup !== group;
}

export function whyNoShell({ stored: { name } }: SessionEntry, { program, pid, group }: ActTarget): string {
  const reads = pid === group && isShellProgram(program ?? "") ? "" : "what reads there may be a shell, which ";
  return `${program ?? "a shell"} is in the foreground, and ${reads}would run the text as a command; run it with "lectern exec ${name} COMMAND", or prompt the shell with --shell`;
}

export function whyMissed(targets: readonly ActTarget[]): string {
  const isUnknown = targets.some(({ group }) => group === null);
  return missedReason(targets, { hasEnded: isUnknown ? null : targets.every(hasEnded) });
}

/** An agent that reports its own status has started, although nobody has seen it reading. */
const seenNow = (now: ActTarget, { status }: SessionEntry): ActTarget =>
  now.agent !== null && now.group !== null && status?.evidence.some(({ signal }) => OWN_SIGNALS.has(signal)) === true
    ? { ...now, members: now.members ?? membersOf(processesOfGroup(now.group), now) }
    : now;

const unknownTarget = ({ reader: { agent, run }, kind = "unknown" }: Seen): ActTarget => ({
  kind: agent === null ? kind : `agent ${agent}`,
  agent,
  run,
  program: null,
  group: null,
  pid: null,
  startTicks: null,
  image: null,
  members: null,
});

function targetIn(group: number | undefined, seen: Seen): ActTarget {
  const unknown = unknownTarget(seen);
  if (group === undefined || group <= 0) return unknown;
  const { pid, lastPid } = seen.reader;
  const reading = processIn(group, pid) ?? processIn(group, lastPid);
  const leader = processIn(group, group);
  const first = reading ?? leader;
  if (first === undefined) return { ...unknown, group };
  const isShell = first.pid === group && runsLines(group, first.program);
  // The views see a moment later that an agent has left the foreground to the shell that started it; a shell that nobody has seen reading may
  // be about to start one.
  const agent = isShell && lastPid !== null ? null : unknown.agent;
  const program = leader?.program ?? first.program;
  const kind = agent === null && isShell ? "shell" : unknown.kind;
  return {
    ...unknown,
    ...first,
    agent,
    program,
    kind,
    members: reading === undefined ? null : membersOf([reading], unknown),
  };
}

const runsLines = (pid: number, program: string): boolean =>
  isShellProgram(program) && !runsScript(argumentsOf(pid) ?? []);
