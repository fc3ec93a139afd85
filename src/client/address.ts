/** An operation's input as method, path, query and body. */
import type { OperationName } from "../protocol/operations.ts";
import { fillPath, hasBody, machinePath, pathParameters, routeOf } from "../protocol/routes.ts";
import { splitAddress } from "../protocol/session-address.ts";

export interface Address {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** JSON, for methods that have a body. */
  readonly body?: string;
}

/**
 * Path parameters go into the path, the rest into the query (GET, DELETE) or the JSON body. `undefined` is left out. A `session` such as
 * `box/work` is on another machine, which goes in front of the path.
 */
export function addressOf(name: OperationName, given: Readonly<Record<string, unknown>>): Address {
  const { method, path } = routeOf(name);
  const { machine, input } = splitInput(given);
  const inPath = new Set(pathParameters(path));
  const rest = Object.entries(input).filter(([key, value]) => !inPath.has(key) && value !== undefined);
  const filled = fillPath(path, input);
  const target = machine === undefined ? filled : machinePath(machine, filled);
  if (hasBody(method)) return { method, path: target, body: JSON.stringify(Object.fromEntries(rest)) };
  return { method, path: target + queryOf(rest) };
}

function splitInput(input: Readonly<Record<string, unknown>>): {
  readonly machine?: string | undefined;
  readonly input: Readonly<Record<string, unknown>>;
} {
  if (typeof input["session"] !== "string") return { input };
  const { machine, session } = splitAddress(input["session"]);
  return { machine, input: { ...input, session } };
}

/** Lists are joined by commas. Empty if there are no parameters. */
export function queryOf(entries: readonly (readonly [string, unknown])[]): string {
  const query = new URLSearchParams(entries.map(([key, value]) => [key, String(value)]));
  return query.size === 0 ? "" : `?${query.toString()}`;
}
