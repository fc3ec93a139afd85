/**
 * The sessions and open questions of all machines, as one of them sees it. Laws:
 * - The changes of a machine are numbered. One that does not follow the state that is known is not applied: the machine's snapshot is
 *   fetched again. A heartbeat carries the number as well, so a lost last change is found.
 * - Nothing is shown as running on a machine that is not here, and no question of it as open.
 * - What exceeds a limit is left out and counted.
 *
 * Times are milliseconds of a clock that only moves forward. Call `step` with `tick` at `wakeAtMs`.
 */
import type { MachinePresence } from "./presence.ts";

export interface IndexedSession {
  readonly id: string;
  /** As its machine reports it. */
  readonly state: string;
}

export interface IndexedQuestion {
  readonly id: string;
  readonly session: string;
}

export interface RemoteSession<Session> {
  readonly machine: string;
  /** That of the session; `unreachable` if it was running when its machine was last heard. */
  readonly state: string;
  readonly session: Session;
}

export interface RemoteQuestion<Question> {
  readonly machine: string;
  readonly question: Question;
}

export interface RemoteIndexOptions {
  /** Default 2,000. */
  readonly sessionsPerMachineMax?: number;
  /** Default 500. */
  readonly questionsPerMachineMax?: number;
  /** Default 1,000. */
  readonly machinesMax?: number;
  /** A snapshot that has not come is fetched again after this time. Default 2,000. */
  readonly fetchMs?: number;
}

/** `boot` as in `Presence`; `revision` counts the changes since that start. */
interface Place {
  readonly machine: string;
  readonly boot: string;
  readonly revision: number;
}

export type IndexChange<Session, Question> =
  | { readonly kind: "session"; readonly session: Session }
  | { readonly kind: "session-removed"; readonly id: string }
  | { readonly kind: "question"; readonly question: Question }
  | { readonly kind: "question-closed"; readonly id: string };

export type RemoteIndexInput<Session, Question> =
  /** All changes up to `revision` are in it. */
  | (Place & {
      readonly type: "snapshot";
      readonly sessions: readonly Session[];
      readonly questions: readonly Question[];
    })
  | (Place & { readonly type: "change"; readonly change: IndexChange<Session, Question> })
  /** The revision that the machine reports with its heartbeat. */
  | (Place & { readonly type: "revision" })
  | { readonly type: "presence"; readonly presence: MachinePresence }
  | { readonly type: "tick" };

export type RemoteIndexEffect =
  | { readonly type: "fetch"; readonly machine: string }
  /** What is shown of the machine has changed. */
  | { readonly type: "changed"; readonly machine: string };

interface Indexed<Session, Question> {
  boot: string | undefined;
  revision: number;
  isHere: boolean;
  sessions: Map<string, Session>;
  questions: Map<string, Question>;
  omitted: number;
  /** A snapshot is on its way until then; undefined: what is known is current. */
  refetchAtMs: number | undefined;
}

const RUNNING: ReadonlySet<string> = new Set(["starting", "running"]);

export class RemoteIndex<Session extends IndexedSession, Question extends IndexedQuestion> {
  readonly #options: Required<RemoteIndexOptions>;
  readonly #machines = new Map<string, Indexed<Session, Question>>();
  #effects: RemoteIndexEffect[] = [];

  constructor(options: RemoteIndexOptions = {}) {
    this.#options = {
      sessionsPerMachineMax: 2000,
      questionsPerMachineMax: 500,
      machinesMax: 1000,
      fetchMs: 2000,
      ...options,
    };
  }

  get wakeAtMs(): number | undefined {
    let wakeMs: number | undefined;
    for (const { isHere, refetchAtMs } of this.#machines.values()) {
      if (isHere && refetchAtMs !== undefined) wakeMs = Math.min(wakeMs ?? refetchAtMs, refetchAtMs);
    }
    return wakeMs;
  }

  sessions(): RemoteSession<Session>[] {
    return Array.from(this.#machines, ([machine, { isHere, sessions }]) =>
      Array.from(sessions.values(), (session) => ({ machine, session, state: shownState(session.state, isHere) })),
    ).flat();
  }

  questions(): RemoteQuestion<Question>[] {
    return Array.from(this.#machines, ([machine, { isHere, questions }]) =>
      isHere ? Array.from(questions.values(), (question) => ({ machine, question })) : [],
    ).flat();
  }

  /** Sessions and questions of a machine that were left out because of a limit, since its last snapshot. */
  omitted(machine: string): number {
    return this.#machines.get(machine)?.omitted ?? 0;
  }

  /** False while a snapshot of the machine is on its way. */
  isCurrent(machine: string): boolean {
    const indexed = this.#machines.get(machine);
    return indexed !== undefined && indexed.boot !== undefined && indexed.refetchAtMs === undefined;
  }

  step(input: RemoteIndexInput<Session, Question>, nowMs: number): RemoteIndexEffect[] {
    this.#apply(input, nowMs);
    const effects = this.#effects;
    if (effects.length > 0) this.#effects = [];
    return effects;
  }

  #apply(input: RemoteIndexInput<Session, Question>, nowMs: number): void {
    if (input.type === "tick") return this.#refetch(nowMs);
    const machine = input.type === "presence" ? input.presence.machine : input.machine;
    const indexed = this.#machine(machine);
    if (indexed === undefined) return;
    switch (input.type) {
      case "presence":
        return this.#applyPresence(indexed, input.presence, nowMs);
      case "snapshot":
        return this.#replace(indexed, input);
      case "revision":
        if (input.boot !== indexed.boot || input.revision > indexed.revision) this.#fetch(machine, indexed, nowMs);
        return;
      case "change":
        if (input.boot !== indexed.boot || input.revision > indexed.revision + 1) {
          return this.#fetch(machine, indexed, nowMs);
        }
        if (input.revision <= indexed.revision) return;
        indexed.revision = input.revision;
        this.#change(indexed, input.change);
        this.#effects.push({ type: "changed", machine });
    }
  }

  /** A machine beyond the limit takes the place of one that is not here. */
  #machine(machine: string): Indexed<Session, Question> | undefined {
    const known = this.#machines.get(machine);
    if (known !== undefined) return known;
    if (this.#machines.size >= this.#options.machinesMax) {
      const away = [...this.#machines].find(([, { isHere }]) => !isHere)?.[0];
      if (away === undefined) return undefined;
      this.#machines.delete(away);
    }
    const indexed: Indexed<Session, Question> = {
      boot: undefined,
      revision: 0,
      isHere: false,
      sessions: new Map(),
      questions: new Map(),
      omitted: 0,
      refetchAtMs: undefined,
    };
    this.#machines.set(machine, indexed);
    return indexed;
  }

  #applyPresence(indexed: Indexed<Session, Question>, { machine, state }: MachinePresence, nowMs: number): void {
    const isHere = state === "here";
    if (indexed.isHere === isHere) return;
    indexed.isHere = isHere;
    this.#effects.push({ type: "changed", machine });
    // What changed while it was away was not heard.
    indexed.refetchAtMs = undefined;
    if (isHere) this.#fetch(machine, indexed, nowMs);
  }

  #fetch(machine: string, indexed: Indexed<Session, Question>, nowMs: number): void {
    if (indexed.refetchAtMs !== undefined) return;
    indexed.refetchAtMs = nowMs + this.#options.fetchMs;
    this.#effects.push({ type: "fetch", machine });
  }

  #refetch(nowMs: number): void {
    for (const [machine, indexed] of this.#machines) {
      if (!indexed.isHere || indexed.refetchAtMs === undefined || nowMs < indexed.refetchAtMs) continue;
      indexed.refetchAtMs = undefined;
      this.#fetch(machine, indexed, nowMs);
    }
  }

  #replace(
    indexed: Indexed<Session, Question>,
    {
      machine,
      boot,
      revision,
      sessions,
      questions,
    }: Extract<RemoteIndexInput<Session, Question>, { readonly type: "snapshot" }>,
  ): void {
    // A late one: newer changes were applied.
    if (boot === indexed.boot && revision < indexed.revision) return;
    const { sessionsPerMachineMax, questionsPerMachineMax } = this.#options;
    indexed.boot = boot;
    indexed.revision = revision;
    indexed.sessions = byId(sessions.slice(0, sessionsPerMachineMax));
    indexed.questions = byId(questions.slice(0, questionsPerMachineMax));
    indexed.omitted = sessions.length - indexed.sessions.size + (questions.length - indexed.questions.size);
    indexed.refetchAtMs = undefined;
    this.#effects.push({ type: "changed", machine });
  }

  #change(indexed: Indexed<Session, Question>, change: IndexChange<Session, Question>): void {
    const { sessionsPerMachineMax, questionsPerMachineMax } = this.#options;
    switch (change.kind) {
      case "session":
        if (!put(indexed.sessions, change.session, sessionsPerMachineMax)) indexed.omitted += 1;
        return;
      case "session-removed":
        indexed.sessions.delete(change.id);
        return;
      case "question":
        if (!put(indexed.questions, change.question, questionsPerMachineMax)) indexed.omitted += 1;
        return;
      case "question-closed":
        indexed.questions.delete(change.id);
    }
  }
}

const shownState = (state: string, isHere: boolean): string => (isHere || !RUNNING.has(state) ? state : "unreachable");

const byId = <Value extends { readonly id: string }>(values: readonly Value[]): Map<string, Value> =>
  new Map(values.map((value) => [value.id, value]));

function put<Value extends { readonly id: string }>(map: Map<string, Value>, value: Value, sizeMax: number): boolean {
  if (map.size >= sizeMax && !map.has(value.id)) return false;
  map.set(value.id, value);
  return true;
}
