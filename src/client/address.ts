/** An operation's input as method, path, query and body. */
import type { OperationName } from "../protocol/operations.ts";
import { fillPath, hasBody, pathParameters, routeOf } from "../protocol/routes.ts";

export interface Address {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** JSON, for methods that have a body. */
  readonly body?: string;
}

/** Path parameters go into the path, the rest into the query (GET, DELETE) or the JSON body. `undefined` is left out. */
export function addressOf(name: OperationName, input: Readonly<Record<string, unknown>>): Address {
  const { method, path } = routeOf(name);
  const inPath = new Set(pathParameters(path));
  const rest = Object.entries(input).filter(([key, value]) => !inPath.has(key) && value !== undefined);
  const filled = fillPath(path, input);
  if (hasBody(method)) {
    return { method, path: filled, body: JSON.stringify(Object.fromEntries(rest)) };
  }
  return { method, path: filled + queryOf(rest) };
}

/** Lists are joined by commas. Empty if there are no parameters. */
export function queryOf(entries: readonly (readonly [string, unknown])[]): string {
  const query = new URLSearchParams(entries.map(([key, value]) => [key, String(value)]));
  return query.size === 0 ? "" : `?${query.toString()}`;
}
