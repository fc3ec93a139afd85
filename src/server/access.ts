/** Who calls, and whether the caller may do this. */
import { LecternError } from "../core/errors.ts";
import { includesScope, operations, type Operation, type OperationName, type Scope } from "../protocol/operations.ts";
import { pathParameters, SCOPE_HEADER } from "../protocol/routes.ts";
import type { Caller, CallerOrigin, DaemonService, WantedAction } from "../daemon/service.ts";
import { guard, headerList, type GuardRules, type Rejection, type RequestFacts } from "./guard.ts";

const SESSION_HEADER = "lectern-session";
const owner: Caller = { scope: "admin", session: null };

/** `caller` is undefined on the open paths. `isAuthenticated`: the request had a valid token, also where it needs none. */
export type AccessDecision =
  | { readonly allowed: true; readonly caller: Caller | undefined; readonly isAuthenticated: boolean }
  | Rejection;

/** The guard's verdict, and then the daemon's word about the token. */
export function admit(
  facts: RequestFacts,
  rules: GuardRules,
  { authenticate, origin }: Pick<DaemonService, "authenticate"> & { readonly origin: CallerOrigin | undefined },
): AccessDecision {
  const verdict = guard(facts, rules);
  if (!verdict.allowed) return verdict;
  const from = origin === undefined ? {} : { origin };
  switch (verdict.access.type) {
    case "open": {
      const { token } = verdict.access;
      return {
        allowed: true,
        caller: undefined,
        isAuthenticated: token !== undefined && authenticate(token) !== undefined,
      };
    }
    case "owner":
      return limited({ ...owner, ...from }, facts.rawHeaders);
    case "token": {
      const caller = authenticate(verdict.access.token);
      if (caller !== undefined) return limited({ ...caller, ...from }, facts.rawHeaders);
      return {
        allowed: false,
        code: "UNAUTHENTICATED",
        reason: "token-unknown",
        message: "Cannot answer without a valid token: this one is unknown, expired or revoked",
      };
    }
  }
}

/** A caller may give up rights with two headers, as `lectern mcp` does for a server that may not do everything. */
function limited(caller: Caller, rawHeaders: readonly string[]): AccessDecision {
  const [scope = caller.scope, ...moreScopes] = headerList(rawHeaders, SCOPE_HEADER);
  const [session = caller.session, ...moreSessions] = headerList(rawHeaders, SESSION_HEADER);
  const isOne = moreScopes.length === 0 && moreSessions.length === 0;
  if (
    isOne &&
    isScope(scope) &&
    includesScope(caller.scope, scope) &&
    (caller.session === null || session === caller.session)
  ) {
    return { allowed: true, caller: { ...caller, scope, session }, isAuthenticated: true };
  }
  return {
    allowed: false,
    code: "FORBIDDEN",
    reason: "limit-wider",
    message: `Cannot widen rights with ${SCOPE_HEADER} or ${SESSION_HEADER}: they only limit what the caller may do`,
  };
}

const isScope = (text: string): text is Scope => text === "read" || text === "write" || text === "admin";

export const mayUse = (caller: Caller, scope: Scope): boolean => includesScope(caller.scope, scope);

/** An operation that somebody calls. */
export interface AuthorizeRequest<Input> {
  readonly caller: Caller;
  readonly name: OperationName;
  readonly input: Input;
}

/**
 * Throws `FORBIDDEN` if the caller may not do this. Every operation passes here, over HTTP, WebSocket and MCP. A token for one session sees
 * nothing but that session, not even whether another one exists. Returns the input, with the id in place of the reference for such a token
 * and for a caller inside a session: the name cannot be given to another session between this check and the call.
 */
export function authorize<Input extends Readonly<Record<string, unknown>>>(
  { caller, name, input }: AuthorizeRequest<Input>,
  service: Pick<DaemonService, "resolve" | "permit">,
): Input {
  const { endpoint, narrows, scope }: Operation = operations[name];
  requireScope(caller, scope);
  const reference = pathParameters(endpoint).includes("session") ? input["session"] : undefined;
  if (caller.session !== null && narrows === true) {
    service.permit(caller, actionOf(name, input, caller.session));
    return input;
  }
  if (caller.session !== null) {
    if (typeof reference !== "string" || !refersTo(reference, caller.session, service.resolve))
      throw limitedToSession();
    service.permit(caller, actionOf(name, input, caller.session));
    return { ...input, session: caller.session };
  }
  if (caller.origin?.type !== "inside") return input;
  const session = typeof reference === "string" ? idOf(reference, service.resolve) : undefined;
  service.permit(caller, actionOf(name, input, session));
  return session === undefined ? input : { ...input, session };
}

/** An operation that somebody calls on another machine. */
export interface AwayRequest {
  readonly caller: Caller;
  readonly name: OperationName;
  readonly machine: string;
  /** Of an attachment: it does not type. */
  readonly readOnly: boolean;
}

/**
 * Throws `FORBIDDEN` if the caller may not do this on another machine, where nothing is known of the sessions here: a token for one session is
 * refused, and a caller inside a session that acts for no person only reads.
 */
export function authorizeAway(
  { caller, name, machine, readOnly }: AwayRequest,
  service: Pick<DaemonService, "permit">,
): void {
  requireScope(caller, operations[name].scope);
  if (caller.session !== null) throw limitedToSession();
  if (caller.origin?.type !== "inside") return;
  const { scope } = actionOf(name, { readOnly }, undefined);
  service.permit(caller, { operation: `${name} on ${machine}`, scope, person: scope !== "read", session: undefined });
}

/** Throws `FORBIDDEN` for a token for one session: the metrics are about all of them. */
export function authorizeMetrics(caller: Caller, service: Pick<DaemonService, "permit">): void {
  requireScope(caller, "read");
  if (caller.session !== null) throw limitedToSession();
  if (caller.origin?.type === "inside")
    service.permit(caller, { operation: "metrics", scope: "read", person: false, session: undefined });
}

function requireScope({ scope }: Caller, wanted: Scope): void {
  if (includesScope(scope, wanted)) return;
  throw new LecternError("FORBIDDEN", `Cannot do this with a token for "${scope}": it needs "${wanted}"`, {
    details: { scope, wanted },
  });
}

const limitedToSession = (): LecternError =>
  new LecternError("FORBIDDEN", "Cannot do this with a token for one session: it is limited to that session");

/** Attaching reads, but types too unless it is asked not to. */
function actionOf(
  name: OperationName,
  input: Readonly<Record<string, unknown>>,
  session: string | undefined,
): WantedAction {
  const { scope, person }: Operation = operations[name];
  const types = name === "sessions.attach" && input["readOnly"] !== true;
  return { operation: name, scope: types ? "write" : scope, person: person === true, session };
}

/** Undefined for a session that does not exist, which the operation itself reports. */
function idOf(reference: string, resolve: DaemonService["resolve"]): string | undefined {
  try {
    return resolve(reference);
  } catch (error) {
    if (error instanceof LecternError) return undefined;
    throw error;
  }
}

const refersTo = (reference: string, id: string, resolve: DaemonService["resolve"]): boolean =>
  idOf(reference, resolve) === id;
