/** One flat input object from path, query and body, checked by the operation's schema. */
import type * as z from "zod";
import type { LecternError } from "../core/errors.ts";
import { describeIssues, sentenceOf, type InputIssue } from "../protocol/input-issues.ts";
import { pathParameters } from "../protocol/routes.ts";
import { pathOf } from "./guard.ts";
import { RequestProblem } from "./reply.ts";

export interface InputParts {
  /** The route's path, with `{name}` for parameters. */
  readonly template: string;
  /** The request target as it was sent. */
  readonly url: string;
  readonly body?: unknown;
}

/** Throws 422 with the issues, by path. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, parts: InputParts): z.output<Schema> {
  const parameters = matchPath(parts.template, parts.url) ?? {};
  const rest = parts.body === undefined ? queryOf(parts.url) : parts.body;
  if (typeof rest !== "object" || rest === null || Array.isArray(rest))
    throw invalid([{ path: "", message: "must be a JSON object" }]);
  const doubled = pathParameters(parts.template).find((name) => Object.hasOwn(rest, name));
  if (doubled !== undefined) throw invalid([{ path: doubled, message: "is in the path and cannot be given again" }]);
  const input = { ...rest, ...parameters };
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw invalid(describeIssues(result.error, input, schema));
}

/** The path parameters by name; undefined where the path is of another route. */
export function matchPath(template: string, url: string): Record<string, string> | undefined {
  const wanted = template.split("/");
  const given = pathOf(url).split("/");
  if (wanted.length !== given.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    const value = given[index] ?? "";
    if (name === undefined && value !== part) return undefined;
    if (name !== undefined && value === "") return undefined;
    if (name !== undefined) parameters[name] = decodeURIComponent(value);
  }
  return parameters;
}

function queryOf(url: string): Record<string, string> {
  const query = new URLSearchParams(url.split("?").slice(1).join("?"));
  const values = new Map<string, string>();
  for (const [key, value] of query) {
    if (key === "__proto__") throw invalid([{ path: key, message: "is refused" }]);
    if (values.has(key)) throw invalid([{ path: key, message: "is given twice" }]);
    values.set(key, value);
  }
  return Object.fromEntries(values);
}

const ISSUES_MAX = 20;

function invalid(issues: readonly InputIssue[]): LecternError {
  const shown = issues.slice(0, ISSUES_MAX).map(({ path, message }) => ({
    path: path.slice(0, 200),
    message: message.slice(0, 500),
  }));
  return new RequestProblem("INVALID_INPUT", sentenceOf(shown), { issues: shown });
}
