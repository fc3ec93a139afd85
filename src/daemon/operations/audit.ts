/** What was asked, allowed and done: the audit log. */
import { LecternError } from "../../core/errors.ts";
import type { OutputOf, ParsedInputOf } from "../../protocol/operations.ts";
import { shownRow } from "../../protocol/audit.ts";
import type { AuditRow } from "../../core/gate/audit-chain.ts";
import { keptHeads } from "../audit/kept-heads.ts";
import { insideText } from "../callers/callers.ts";
import type { Caller, Handlers } from "../service.ts";
import type { Daemon } from "./context.ts";

type AuditHandlers = Pick<Handlers, "audit.list" | "audit.open" | "audit.find" | "audit.verify" | "audit.append">;

export function auditHandlers(daemon: Daemon): AuditHandlers {
  const { audit, registry } = daemon;
  return {
    "audit.list": (input, { signal }) => list(daemon, input, signal),
    "audit.open": async ({ limit }) => ({ calls: [...(await audit.openCalls(limit))] }),
    "audit.find": async ({ session, call }) => ({
      call: (await audit.find(idOf(daemon, session), call)) ?? null,
    }),
    "audit.verify": async ({ head }) => {
      const kept = await keptHeads(registry.all);
      const { verification, rows } = await audit.verify(head, kept);
      return { ...verification, rows, keptHeads: kept.length };
    },
    "audit.append": async ({ rows }, { caller }) => {
      await audit.append(rowsFrom(daemon, caller, rows));
      return {};
    },
  };
}

/** An executor inside a session reports on that session alone, and stands in each row as the one who does. */
function rowsFrom({ callers }: Daemon, caller: Caller, rows: readonly AuditRow[]): readonly AuditRow[] {
  const { origin } = caller;
  if (origin?.type !== "inside" || callers.standing(caller) === "person") return rows;
  const reported = (name: string): string => `${name} (reported by ${insideText(origin)})`;
  return rows.map((row) => {
    if (row.session !== origin.session) {
      const action = { operation: "audit.append", session: row.session };
      callers.refuse(caller, action, "rows may be about its own session only");
    }
    if (row.type === "answer") return { ...row, approver: reported(row.approver) };
    return row.type === "decision" ? { ...row, requester: reported(row.requester) } : row;
  });
}

async function list(
  daemon: Daemon,
  input: ParsedInputOf<"audit.list">,
  signal: AbortSignal,
): Promise<OutputOf<"audit.list">> {
  const { audit } = daemon;
  const { call, from, limit, waitMs } = input;
  const session = input.session === undefined ? undefined : await loggedIdOf(daemon, input.session);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
  for (let place = from; ;) {
    // Before the look, so that a row that comes in between wakes it.
    const changed = waitMs > 0 ? audit.changed(deadline) : Promise.resolve(false);
    const page = await audit.list({ session, call, from: place, limit });
    const rows = page.rows.map(shownRow);
    if (rows.length > 0 || !(await changed)) return { rows, next: page.next, end: page.end };
    place = page.next;
  }
}

/** The log outlives the sessions: a reference that means none of now is an id of then. */
function idOf({ registry }: Daemon, reference: string): string {
  try {
    return registry.resolve(reference).id;
  } catch (error) {
    if (error instanceof LecternError && error.code === "SESSION_NOT_FOUND") return reference;
    throw error;
  }
}

/** Throws `SESSION_NOT_FOUND` for one of which there is no row either: a name that is wrong would look like a session without calls. */
async function loggedIdOf(daemon: Daemon, reference: string): Promise<string> {
  const id = idOf(daemon, reference);
  const isKnown =
    id !== reference || (await daemon.audit.list({ session: id, from: undefined, limit: 1 })).rows.length > 0;
  return isKnown ? id : daemon.registry.resolve(reference).id;
}
