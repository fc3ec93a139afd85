/** Where an operation is over HTTP: its endpoint as method and path, and its input as path, query and body. */
import { endpoints } from "./endpoints.ts";
import type { OperationName } from "./operations.ts";

/** The version in greetings and in `daemon.info`: it changes when an older peer would misunderstand. */
export const PROTOCOL_VERSION = 2;

/** A caller gives up rights with it: `read`, `write` or `admin`. */
export const SCOPE_HEADER = "lectern-scope";

export interface Route {
  readonly method: string;
  /** `{name}` is a path parameter. */
  readonly path: string;
}

export const routeOf = (name: OperationName): Route => splitEndpoint(endpoints[name]);

const MACHINES_PREFIX = "/v1/machines/";

/** True for a path that is an operation of another machine. */
export const isMachinePath = (path: string): boolean => path.startsWith(MACHINES_PREFIX);

/** The path of an operation on another machine: `/v1/machines/box/sessions` for `/v1/sessions`. */
export const machinePath = (machine: string, path: string): string =>
  MACHINES_PREFIX + encodeURIComponent(machine) + path.slice("/v1".length);

/** `GET /v1/sessions` as method and path. */
export function splitEndpoint(endpoint: string): Route {
  const [method = "", path = ""] = endpoint.split(" ");
  return { method, path };
}

/** Whether the input that is not in the path is a JSON body; otherwise it is in the query. */
export const hasBody = (method: string): boolean => method !== "GET" && method !== "DELETE";

/** Fills the path of a route: `{session}` becomes its encoded value. Throws a `TypeError` for one that is missing. */
export function fillPath(path: string, parameters: Readonly<Record<string, unknown>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name];
    if (typeof value !== "string") throw new TypeError(`Missing path parameter "${name}" of ${path}`);
    return encodeURIComponent(value);
  });
}

/** The names of the path parameters of a route, in order. */
export const pathParameters = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
