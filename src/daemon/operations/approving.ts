import type { OutputOf, ParsedInputOf } from "../../protocol/operations.ts";
import type { Caller, Handlers } from "../service.ts";
import type { Daemon } from "./context.ts";

type ApprovingHandlers = Pick<Handlers, "approvals.list" | "approvals.answer">;

/** What answering works with. */
type Answering = Pick<Daemon, "approvals" | "registry"> & { readonly callers: Pick<Daemon["callers"], "nameOf"> };

export function approvingHandlers(daemon: Answering): ApprovingHandlers {
  const { approvals, registry } = daemon;
  return {
    "approvals.list": (input, { caller, signal }) => list(daemon, { input, caller, signal }),
    "approvals.answer": async ({ approval, by, digest, option, session }, { caller }) => {
      const { id, stored } = registry.resolve(session);
      return approvals.answer({
        session: id,
        name: stored.name,
        id: approval,
        option,
        digest,
        by: daemon.callers.nameOf(caller, by),
      });
    },
  };
}

interface Asked {
  readonly input: ParsedInputOf<"approvals.list">;
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

/** Waits for a change where the caller has seen the newest version. */
async function list(
  { approvals, registry }: Answering,
  { caller, input, signal }: Asked,
): Promise<OutputOf<"approvals.list">> {
  const named = input.session === undefined ? undefined : registry.resolve(input.session).id;
  const session = caller.session ?? named;
  await approvals.restored(session);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(input.waitMs)]);
  while (input.waitMs > 0 && approvals.version === input.version && (await approvals.changed(deadline))) {
    // Looked at again: a change may have been of another session, but the version is of all.
  }
  return { version: approvals.version, approvals: approvals.list(session), hints: approvals.hints(session) };
}
