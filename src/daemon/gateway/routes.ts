/** The addresses of the gateway: `/wire/<secret>/<route>/<path of the API>`. */
import type { Dialect } from "../../core/wire/turn.ts";

/** The APIs that the gateway stands in for. */
export const WIRE_ROUTES = ["anthropic", "openai", "gemini", "code-assist"] as const;
export type WireRoute = (typeof WIRE_ROUTES)[number];

export interface RouteFacts {
  /** What is used where neither the session nor its environment names another. */
  readonly url: string;
  /** Variables with which people name another upstream. */
  readonly variables: readonly string[];
}

/** The base URL of a route is what the vendor's own libraries take as one. */
export const routeFacts: Readonly<Record<WireRoute, RouteFacts>> = {
  anthropic: { url: "https://api.anthropic.com", variables: ["ANTHROPIC_BASE_URL"] },
  openai: { url: "https://api.openai.com/v1", variables: ["OPENAI_BASE_URL", "OPENAI_API_BASE"] },
  gemini: {
    url: "https://generativelanguage.googleapis.com",
    variables: ["GOOGLE_GEMINI_BASE_URL", "GEMINI_API_BASE_URL"],
  },
  "code-assist": { url: "https://cloudcode-pa.googleapis.com", variables: ["CODE_ASSIST_ENDPOINT"] },
};

/** The header that carries the secret where an agent cannot keep it in its base URL, which then has `-` in its place. */
export const SECRET_HEADER = "x-lectern-wire";

export interface WireTarget {
  readonly secret: string;
  readonly route: WireRoute;
  /** Below the upstream's base URL, with the query. */
  readonly path: string;
}

/** What a well-formed target may hold: no dot segments, no escaped slashes, no control characters. */
const PATH =
  /^\/wire\/([A-Za-z0-9_-]{1,64})\/([a-z-]{1,16})(\/[\w!$&'()*+,;=:@.~%/-]*)?(\?[\w!$&'()*+,;=:@.~%/?[\]-]*)?$/;
const UNSAFE_SEGMENT = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)|%2f|%5c|%00|\/\//i;

/** Undefined for every address that the gateway does not have. */
export function parseTarget(url: string, headerSecret: string | undefined): WireTarget | undefined {
  const [, word = "", route = "", path = "", query = ""] = PATH.exec(url) ?? [];
  const secret = word === "-" ? headerSecret : word;
  if (secret === undefined || secret === "" || !isRoute(route) || UNSAFE_SEGMENT.test(path)) return undefined;
  return { secret, route, path: path + query };
}

const isRoute = (text: string): text is WireRoute => WIRE_ROUTES.some((route) => route === text);

/** The dialect in which this path answers with a turn of a model; undefined for all others, such as lists of models. */
export function dialectOf(method: string, target: string): Dialect | undefined {
  if (method !== "POST") return undefined;
  const [path = ""] = target.split("?");
  if (path.endsWith("/messages")) return "anthropic";
  if (path.endsWith("/chat/completions")) return "openai-chat";
  if (path.endsWith("/responses")) return "openai-responses";
  return /:(?:streamG|g)enerateContent$/.test(path) ? "gemini" : undefined;
}
