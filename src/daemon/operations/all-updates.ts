/** What all sessions tell, for a reader that shows all of them. */
import { waits } from "../../core/waits.ts";
import type { ParsedInputOf } from "../../protocol/operations.ts";
import type { SessionActivity, DaemonUpdate } from "../../protocol/views.ts";
import type { CallContext } from "../service.ts";
import { keyOfChange } from "../../core/views/change.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import { Waiters } from "../async/waiters.ts";
import { watchMachines } from "../machines/watch-machines.ts";
import type { Daemon } from "./context.ts";
import { listSessions } from "./lifecycle.ts";

/** Above, a reader that does not keep up misses the oldest. */
const WAITING_UPDATES_MAX = 5000;

/** From now on. A reader that does not keep up misses the changes in between, not the last ones. */
export async function* readAllUpdates(
  daemon: Daemon,
  input: ParsedInputOf<"daemon.updates">,
  { caller, signal }: CallContext,
): AsyncGenerator<readonly DaemonUpdate[]> {
  const { registry, views, approvals, audit, machines } = daemon;
  const kinds = input.kinds ?? (["status", "approval"] as const);
  const waiting = new Map<string, DaemonUpdate>();
  const news = new Waiters();
  const isMine = (session: string): boolean => caller.session === null || caller.session === session;
  const add = (update: DaemonUpdate): void => {
    const key = keyOf(update);
    waiting.delete(key);
    waiting.set(key, update);
    if (waiting.size > WAITING_UPDATES_MAX) dropOldest(waiting);
    news.wake();
  };
  using _changes = views.subscribe(({ id }, changes) => {
    for (const change of isMine(id) ? changes : []) if (kinds.includes(change.kind)) add({ ...change, session: id });
  });
  using _sessions = registry.subscribe((id, entry) => {
    if (isMine(id)) add({ kind: "session", session: id, view: entry?.view ?? null });
  });
  using listed = new DisposableStack();
  const hasMachines = input.machines && caller.session === null;
  if (hasMachines) await machines.ready();
  if (input.list) {
    const only = caller.session ?? undefined;
    const shown = () => ({ approvals: approvals.list(only), hints: approvals.hints(only) });
    listed.use(approvals.subscribe(() => add({ kind: "approvals", ...shown() })));
    const sessions = await listSessions(registry, {}, caller);
    const activity = new ActivityWatch(sessions);
    const look = (): void => {
      for (const entry of registry.all) {
        const now = isMine(entry.id) ? activity.look(entry) : undefined;
        if (now !== undefined) add({ kind: "activity", session: entry.id, ...now });
      }
    };
    if (caller.session === null) listed.use(watchAudit(audit, () => add({ kind: "audit" })));
    listed.use(registry.subscribe((id, entry) => entry === undefined && activity.forget(id)));
    const timer = setInterval(look, waits.activityMs);
    listed.defer(() => clearInterval(timer));
    const access = { scope: caller.scope, session: caller.session };
    yield [{ kind: "list", sessions, ...(hasMachines && { machines: machines.list() }), access, ...shown() }];
  }
  if (hasMachines) listed.use(watchMachines(machines, { kinds, add }));
  while (!signal.aborted) {
    if (waiting.size > 0) {
      const updates = [...waiting.values()];
      waiting.clear();
      yield updates;
      continue;
    }
    await news.next(signal);
  }
}

function keyOf(update: DaemonUpdate): string {
  switch (update.kind) {
    case "list":
    case "approvals":
    case "audit":
    case "machine":
      return `${update.machine ?? ""} ${update.kind}`;
    case "session":
    case "activity":
    case "status":
      return `${update.session} ${update.kind}`;
    default:
      return `${update.session} ${update.kind} ${keyOfChange(update)}`;
  }
}

/** A list stays: without it a reader would miss sessions until the next one. */
function dropOldest(waiting: Map<string, DaemonUpdate>): void {
  for (const [key, { kind }] of waiting) {
    if (kind === "list" || kind === "machine") continue;
    waiting.delete(key);
    return;
  }
}

/** Says when the audit log has grown. */
function watchAudit(audit: Daemon["audit"], tell: () => void): Disposable {
  const over = new AbortController();
  const watch = async (): Promise<void> => {
    while (await audit.changed(over.signal)) tell();
  };
  void watch();
  return { [Symbol.dispose]: () => over.abort() };
}

class ActivityWatch {
  readonly #told: Map<string, SessionActivity>;

  constructor(sessions: readonly (SessionActivity & { readonly id: string })[]) {
    this.#told = new Map(sessions.map((session) => [session.id, session]));
  }

  forget(session: string): void {
    this.#told.delete(session);
  }

  /** Undefined where nothing is new. The views of a session that has ended may still tell its last words. */
  look(entry: SessionEntry): SessionActivity | undefined {
    const before = this.#told.get(entry.id);
    const now = entry.activity;
    const isSame = before !== undefined && fields.every((field) => before[field] === now[field]);
    if (!isSame) this.#told.set(entry.id, now);
    return isSame ? undefined : now;
  }
}

const fields = [
  "end",
  "viewers",
  "writer",
  "lastMessage",
  "usage",
  "gate",
] as const satisfies readonly (keyof SessionActivity)[];
