/** A call of an operation on another machine: `/v1/machines/{machine}/REST` is `/v1/REST` there. */
import { LecternError } from "../../core/errors.ts";
import { operationNames, operations, type OperationName } from "../../protocol/operations.ts";
import { fillPath, splitEndpoint } from "../../protocol/routes.ts";
import type { Caller, DaemonService } from "../../daemon/service.ts";
import { authorizeAway, mayUse } from "../access.ts";
import { matchPath } from "../input.ts";
import { RequestProblem } from "../reply.ts";

/** Each daemon keeps its end, its tokens and its machines to itself. */
const isProxied = (name: OperationName): boolean => !/^(?:daemon\.stop$|tokens\.|machines\.)/.test(name);

export interface ProxiedCall {
  readonly machine: string;
  readonly name: OperationName;
  /** On that machine, with the query. */
  readonly path: string;
}

/** The call that a request asks for, if its caller may make it. Throws `NOT_FOUND`, `METHOD_NOT_ALLOWED` and `FORBIDDEN`. */
export function proxiedCall(
  { method, url, caller }: { readonly method: string; readonly url: string; readonly caller: Caller },
  service: Pick<DaemonService, "permit">,
): ProxiedCall {
  const [path = ""] = url.split("?", 1);
  const [, machine = "", rest = ""] = /^\/v1\/machines\/([^/]+)\/(.+)$/.exec(path) ?? [];
  const matches = operationNames.filter(isProxied).flatMap((name) => matchesOf(name, `/v1/${rest}`));
  if (matches.length === 0) throw new LecternError("NOT_FOUND", 'Cannot do this on another machine: see "/docs"');
  const match = matches.find((each) => each.method === (method === "HEAD" ? "GET" : method));
  if (match === undefined) {
    const headers = { allow: matches.map((each) => each.method).join(", ") };
    throw new RequestProblem("METHOD_NOT_ALLOWED", "Cannot use this method here", { headers });
  }
  const query = new URLSearchParams(url.slice(path.length));
  limitQuery(match.name, query, caller);
  const call = { machine: decodeURIComponent(machine), name: match.name };
  authorizeAway({ ...call, caller, readOnly: query.get("readOnly") === "true" }, service);
  return { ...call, path: match.path + (query.size === 0 ? "" : `?${query.toString()}`) };
}

/** With the path as that machine reads it: what was matched here cannot mean another operation there. */
function matchesOf(
  name: OperationName,
  url: string,
): { readonly name: OperationName; readonly method: string; readonly path: string }[] {
  const { method, path } = splitEndpoint(operations[name].endpoint);
  const parameters = matchPath(path, url);
  return parameters === undefined ? [] : [{ name, method, path: fillPath(path, parameters) }];
}

/** A caller that may not write only looks, and nobody goes on from there to a third machine. */
function limitQuery(name: OperationName, query: URLSearchParams, caller: Caller): void {
  if (name === "sessions.attach" && !mayUse(caller, "write")) query.set("readOnly", "true");
  if (name === "daemon.updates") query.delete("machines");
}
