/**
 * What a caller inside a session may do. A person is someone outside every session: the kernel reports which process is at the other end
 * of the unix socket, and nothing in a request changes that.
 *
 * - Only people answer questions, make or revoke tokens, end the daemon or drain hosts (`person` in the route table).
 * - A session with a policy changes no session: typing into one without a policy would be a way out. It may start sessions, which get its
 *   own policy.
 * - Nobody inside changes the labels of a session with a policy: its rules may match by them.
 * - Nobody inside changes a person's own workplace (`mine`), whose programs act as that person: those whose ancestors up to its leader run
 *   and hold no agent. A process that was left behind may be an agent's, so it is inside.
 * - All may read.
 */
import { createHash, randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { builtInAgents } from "../../core/agents/built-in-agents.ts";
import type { AgentRegistry } from "../../core/agents/registry.ts";
import { isShellProgram } from "../../core/agents/command-line.ts";
import { LecternError } from "../../core/errors.ts";
import { unitMs } from "../../core/waits.ts";
import { descriptorOf } from "../../host/event-peer.ts";
import { demandDescriptors } from "../../pty/free-descriptors.ts";
import { loadLibc } from "../../pty/libc.ts";
import { argumentsOf, environmentOf, executableOf, readStat } from "../../pty/proc-files.ts";
import type { AuditStore } from "../audit/audit-store.ts";
import type { WireSessions } from "../gateway/wire-sessions.ts";
import type { Caller, CallerOrigin, InsideOrigin, WantedAction } from "../service.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { SessionRegistry } from "../sessions/session-registry.ts";
import { placeOf, type InsidePlace, type ProcessFacts, type SessionMarks } from "./process-place.ts";

/** Refused attempts in the audit log, which is never cut. Those beyond are counted in the next row. */
const ROWS_PER_MINUTE_MAX = 60;

const facts: ProcessFacts = { stat: readStat, environment: environmentOf, arguments: argumentsOf };

const NEXT_STEP =
  'do it in a terminal outside Lectern, or in a shell that you have started from there with "lectern run --mine"';
const DETACHED_STEP =
  "do it in the foreground of that workplace, or in a terminal outside Lectern: a process of which a parent has ended, as in the background, " +
  "or in tmux, screen or the server of an editor that was started there, does not act as you";

/** One file of `/proc` at a time, and the connection. */
const CALLER_DESCRIPTORS = 2;

/** `person`: all rights of its token. `gated`: it has a policy, or it is not known which session it is. */
export type CallerStanding = "person" | "session" | "gated";

interface CallersOptions {
  /** The agents that are known now. */
  readonly agents: () => AgentRegistry;
  readonly audit: Pick<AuditStore, "append">;
  readonly onError: (error: unknown) => void;
  readonly processes: SessionMarks;
  readonly registry: SessionRegistry;
  readonly wire: Pick<WireSessions, "givenPolicyOf">;
}

export class Callers {
  readonly #options: CallersOptions;
  #minuteStartMs = 0;
  #rowsInMinute = 0;
  #unwrittenRows = 0;

  constructor(options: CallersOptions) {
    this.#options = options;
  }

  /**
   * Takes well below a millisecond. Called when the connection is accepted. A caller that has ended by then may be anybody: its pid may belong
   * to another process, so it counts as inside.
   */
  originOf(socket: Socket): CallerOrigin {
    const { libc } = loadLibc();
    if (libc === undefined) return { type: "unchecked" };
    const descriptor = descriptorOf(socket);
    const pid = libc.peerOf(descriptor)?.pid;
    const unreadable = {
      type: "inside",
      session: null,
      program: "unknown",
      evidence: "unreadable",
      agent: null,
    } as const;
    // A process of another pid namespace has no number here.
    if (pid === undefined) return { ...unreadable, pid: 0 };
    const peer = libc.peerDescriptor(descriptor);
    if (peer === "gone") return { ...unreadable, pid };
    try {
      const place = placeOf(pid, facts, this.#options.processes);
      const program = executableOf(pid) ?? "unknown";
      // What was read is about the caller only if it still runs now.
      if (peer !== undefined && libc.hasEnded(peer)) return { ...unreadable, pid };
      if (place === undefined) return { type: "outside" };
      const { commands, evidence, session } = place;
      return { ...unreadable, session, evidence, pid, program, agent: this.#agentAmong(commands) };
    } finally {
      if (peer !== undefined) libc.close(peer);
    }
  }

  standing({ origin }: Caller): CallerStanding {
    if (origin?.type !== "inside") return "person";
    const entry = this.#entryOf(origin);
    if (entry === undefined || this.#options.wire.givenPolicyOf(entry) !== undefined) return "gated";
    return entry.stored.options.mine && origin.evidence === "ancestor" && origin.agent === null ? "person" : "session";
  }

  /** The session that a caller runs in; undefined for one outside, and where the session is not known. */
  sessionOf({ origin }: Caller): SessionEntry | undefined {
    return origin?.type === "inside" ? this.#entryOf(origin) : undefined;
  }

  /** Throws `FORBIDDEN`. */
  permit(caller: Caller, action: WantedAction): void {
    const standing = this.standing(caller);
    if (standing === "person") return;
    if (action.person) this.refuse(caller, action, "only a person may, and a person is someone outside every session");
    // What a session starts is judged by its handler, which knows what is asked for.
    if (action.scope === "read" || action.operation === "sessions.create") return;
    if (standing === "gated")
      this.refuse(caller, action, "a session with a policy changes no session, which would be a way round its policy");
    const target = action.session === undefined ? undefined : this.#options.registry.get(action.session);
    if (target?.stored.options.mine) {
      this.refuse(
        caller,
        action,
        `session "${target.stored.name}" is a person's own workplace, whose programs act as that person`,
      );
    }
  }

  /** Throws `FORBIDDEN`. */
  permitLabels(caller: Caller, entry: SessionEntry): void {
    if (this.standing(caller) === "person" || this.#options.wire.givenPolicyOf(entry) === undefined) return;
    const action = { operation: "sessions.update", session: entry.id } as const;
    this.refuse(
      caller,
      action,
      `session "${entry.stored.name}" has a policy, and which of its rules hold may depend on its labels`,
    );
  }

  /** Records the attempt, and throws `FORBIDDEN`. */
  refuse(caller: Caller, { operation, session }: Pick<WantedAction, "operation" | "session">, reason: string): never {
    const { origin } = caller;
    if (origin?.type !== "inside") throw new LecternError("FORBIDDEN", `Cannot use "${operation}": ${reason}`);
    // Without a descriptor for it, nothing can be read about any caller.
    if (origin.evidence === "unreadable") demandDescriptors(`use "${operation}"`, CALLER_DESCRIPTORS);
    this.#record(origin, session === undefined ? operation : `${operation} of session ${session}`, operation);
    const { evidence, pid, program } = origin;
    throw new LecternError(
      "FORBIDDEN",
      `Cannot use "${operation}" from ${this.#whereabouts(origin)}: ${reason}; ${this.#nextStep(origin)}`,
      { details: { inside: origin.session, pid, program, evidence } },
    );
  }

  /** Who answers, for the audit log: what is known of the caller, and then what it says of itself. */
  nameOf(caller: Caller, note: string | undefined): string {
    const who = this.#whoIs(caller);
    return note === undefined ? who : `${who} (note: ${note})`;
  }

  #whoIs({ origin, token }: Caller): string {
    const presented = token === undefined ? "" : `token ${JSON.stringify(token)}`;
    switch (origin?.type) {
      case "inside":
        return `${presented === "" ? "person" : presented} in ${insideText(origin)}`;
      case "unchecked":
        return `${presented === "" ? "user" : presented} (process not checked)`;
      default:
        return presented === "" ? "person" : presented;
    }
  }

  #whereabouts(origin: InsideOrigin): string {
    const { agent, evidence, pid, program } = origin;
    const name = this.#entryOf(origin)?.stored.name;
    const process = `process ${pid}, ${program}`;
    if (agent !== null && name !== undefined) return `inside the agent "${agent}" in session "${name}" (${process})`;
    if (name !== undefined) return `inside session "${name}" (${process})`;
    return evidence === "unreadable"
      ? `a process that cannot be shown to be outside every session (${process})`
      : `inside a session that is not known any more (${process})`;
  }

  #nextStep(origin: InsideOrigin): string {
    const isDetached = origin.agent === null && origin.evidence !== "ancestor";
    return isDetached && this.#entryOf(origin)?.stored.options.mine ? DETACHED_STEP : NEXT_STEP;
  }

  #entryOf({ session }: InsideOrigin): SessionEntry | undefined {
    return session === null ? undefined : this.#options.registry.get(session);
  }

  #record(origin: InsideOrigin, what: string, operation: string): void {
    const timeMs = Date.now();
    if (timeMs - this.#minuteStartMs >= unitMs.m) {
      this.#minuteStartMs = timeMs;
      this.#rowsInMinute = 0;
    }
    if (this.#rowsInMinute >= ROWS_PER_MINUTE_MAX) {
      this.#unwrittenRows++;
      return;
    }
    this.#rowsInMinute++;
    const more = this.#unwrittenRows === 0 ? "" : `; ${this.#unwrittenRows} refusals before it are not written`;
    this.#unwrittenRows = 0;
    const row = {
      type: "decision",
      session: origin.session ?? "unknown",
      call: `refusal-${randomUUID()}`,
      timeMs,
      requester: insideText(origin),
      tool: operation,
      source: "daemon",
      provenance: "wire",
      argumentsHash: createHash("sha256").update("").digest("hex"),
      effect: "deny",
      decidedBy: "inside-session",
      line: null,
      policyHash: null,
      evidence: `${what}, asked from ${insideText(origin)}${more}`,
    } as const;
    this.#options.audit.append([row]).catch(this.#options.onError);
  }

  /**
   * The coding agent that the command starts in any mode; null if it starts none. No file of a user can take a built-in agent away here:
   * what it does would count as a person's.
   */
  agentOf(command: readonly string[]): string | null {
    return builtInAgents.anyOfArguments(command) ?? this.#options.agents().anyOfArguments(command);
  }

  /** A coding agent among these processes: it acts for nobody, not even in a person's own workplace. */
  #agentAmong(commands: InsidePlace["commands"]): string | null {
    for (const [program = "", ...words] of commands) {
      const agent = this.agentOf([program, ...words]) ?? (isShellProgram(program) ? this.agentOf(words) : null);
      if (agent !== null) return agent;
    }
    return null;
  }
}

/** `session 7f3k9q2m4x, pid 4711, curl`. */
export const insideText = ({ pid, program, session }: InsideOrigin): string =>
  `session ${session ?? "unknown"}, pid ${pid}, ${program}`;
