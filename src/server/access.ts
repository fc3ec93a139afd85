/** Who calls, and whether the caller may do this. */
import { LecternError } from "../core/errors.ts";
import type { Route, Scope } from "../protocol/routes.ts";
import { pathParameters } from "../protocol/routes.ts";
import type { Caller, DaemonService } from "../daemon/service.ts";
import { guard, type GuardRules, type Rejection, type RequestFacts } from "./guard.ts";

const rank: Readonly<Record<Scope, number>> = { read: 0, write: 1, admin: 2 };
const owner: Caller = { scope: "admin", session: null };

/** `caller` is undefined on the open paths. */
export type Admission = { readonly allowed: true; readonly caller: Caller | undefined } | Rejection;

/** The guard's verdict, and then the daemon's word about the token. */
export function admit(facts: RequestFacts, rules: GuardRules, authenticate: DaemonService["authenticate"]): Admission {
  const verdict = guard(facts, rules);
  if (!verdict.allowed) return verdict;
  switch (verdict.access.type) {
    case "open":
      return { allowed: true, caller: undefined };
    case "owner":
      return { allowed: true, caller: owner };
    case "token": {
      const caller = authenticate(verdict.access.token);
      if (caller !== undefined) return { allowed: true, caller };
      return {
        allowed: false,
        code: "UNAUTHENTICATED",
        reason: "token-unknown",
        message: "Cannot answer without a valid token: this one is unknown, expired or revoked",
      };
    }
  }
}

export const mayUse = (caller: Caller, scope: Scope): boolean => rank[caller.scope] >= rank[scope];

/**
 * Throws `FORBIDDEN` where the caller may not do this. A token for one session sees nothing but that session, not even
 * whether another one exists. Gives back the input, with the id in place of the reference for such a token: the name cannot
 * be given to another session between this look and the call.
 */
export function authorize<Input extends Readonly<Record<string, unknown>>>(
  request: { readonly caller: Caller; readonly route: Route; readonly input: Input },
  resolve: DaemonService["resolve"],
): Input {
  const { caller, route, input } = request;
  if (!mayUse(caller, route.scope)) {
    throw new LecternError(
      "FORBIDDEN",
      `Cannot do this with a token for "${caller.scope}": it needs "${route.scope}"`,
      {
        details: { scope: caller.scope, wanted: route.scope },
      },
    );
  }
  if (caller.session === null) return input;
  const reference = pathParameters(route.path).includes("session") ? input["session"] : undefined;
  if (typeof reference !== "string" || !refersTo(reference, caller.session, resolve)) {
    throw new LecternError(
      "FORBIDDEN",
      "Cannot do this with a token for one session: it is good for that session only",
    );
  }
  return { ...input, session: caller.session };
}

function refersTo(reference: string, id: string, resolve: DaemonService["resolve"]): boolean {
  try {
    return resolve(reference) === id;
  } catch (error) {
    if (error instanceof LecternError) return false;
    throw error;
  }
}
