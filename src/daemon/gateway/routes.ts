/** The addresses of the gateway: `/wire/<secret>/<route>/<path of the API>`. */
import { WIRE_ROUTES, type WireRoute } from "../../core/agents/agent-file.ts";
import type { Dialect } from "../../core/wire/turn.ts";

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

/** What the gateway does with a request. */
export type PathVerdict =
  /** The answer is a turn of a model in this dialect: it is read, and its calls pass the gate. */
  | { readonly type: "turn"; readonly dialect: Dialect }
  /** The answer holds no turn: it passes as it is. */
  | { readonly type: "plain" }
  /** What the answer would hold is not known, so the request is not sent. `dialect` is that of the error. */
  | { readonly type: "refused"; readonly dialect: Dialect; readonly message: string };

const version = String.raw`(?:/v\d\w*)?`;
const below = String.raw`(?:/[\w.:@%~+-]+)*`;
/** Google's methods are behind a colon, and only a list or one model is known to hold no turn. */
const geminiModels = new RegExp(`^GET ${version}/(?:models|tunedModels)(?:/[\\w.@~+-]+)*$`);
const models = new RegExp(`^GET ${version}/models${below}$`);
const files = new RegExp(`^(?:GET|POST|DELETE|PUT) (?:/(?:upload|download))?${version}/files${below}$`);
const pathOf = (method: string, path: string): RegExp => new RegExp(`^${method} ${version}${path}$`);

/** Requests whose answers hold no turn of a model. */
const plainPaths: Readonly<Record<WireRoute, readonly RegExp[]>> = {
  anthropic: [
    models,
    files,
    pathOf("POST", "/messages/count_tokens"),
    pathOf("GET", "/api/hello"),
    pathOf("POST", "/api/event_logging/batch"),
  ],
  openai: [
    models,
    files,
    pathOf("POST", "/(?:embeddings|moderations|responses/input_tokens|responses/compact)"),
    pathOf("POST", "/images/(?:generations|edits|variations)"),
    pathOf("POST", "/audio/(?:speech|transcriptions|translations)"),
    pathOf("GET", "/(?:key|credits|model/info|api/tags|api/version|api/ps)"),
    pathOf("POST", "/api/show"),
  ],
  gemini: [
    geminiModels,
    files,
    pathOf("POST", String.raw`/\w+/[\w.@~+-]+:(?:countTokens|computeTokens|embedContent|batchEmbedContents)`),
    pathOf("(?:GET|POST|PATCH|DELETE)", `/cachedContents${below}`),
  ],
  "code-assist": [
    pathOf("(?:GET|POST)", ":(?:loadCodeAssist|onboardUser|countTokens|listExperiments|fetchAdminControls)"),
    pathOf("(?:GET|POST)", ":(?:retrieveUserQuota|recordCodeAssistMetrics|fetchAvailableModels)"),
    pathOf("(?:GET|POST)", ":(?:get|set)CodeAssistGlobalUserSetting"),
    pathOf("GET", `/operations${below}`),
  ],
};

/** Headers and parameters by which a server takes a request for one with another method, other headers or another body. */
const overrideHeaders = ["x-http-method-override", "x-http-method", "x-method-override"];
const overrideParameters = /^(?:_method|callback|\$(?:req|ct|httpmethod|httpheaders|callback))$/i;

/** What would make another request of this one for the server; undefined if there is nothing. */
export function overrideIn(headers: Readonly<Record<string, unknown>>, path: string): string | undefined {
  const header = overrideHeaders.find((name) => headers[name] !== undefined);
  if (header !== undefined) return `the header "${header}"`;
  const parameter = [...new URLSearchParams(path.split("?")[1]).keys()].find((name) => overrideParameters.test(name));
  return parameter === undefined ? undefined : `the parameter "${parameter}"`;
}

/** Whether a server runs, and nothing else. */
const health = /^GET (?:\/|\/health|\/version|\/props)?$/;

const dialects: Readonly<Record<WireRoute, Dialect>> = {
  anthropic: "anthropic",
  openai: "openai-chat",
  gemini: "gemini",
  "code-assist": "gemini",
};

/**
 * Closed by default: servers take a path with another case, a slash at its end or escaped letters for the one that they know, and
 * have other paths with turns of models, such as batches, stored responses and ollama's own.
 */
export function judgePath(method: string, { path: target, route }: Pick<WireTarget, "path" | "route">): PathVerdict {
  const dialect = dialectOf(method, target);
  if (dialect !== undefined) return { type: "turn", dialect };
  const [path = ""] = target.split("?");
  const line = `${method} ${path}`;
  // An answer to HEAD has no body.
  const isPlain = method === "HEAD" || health.test(line) || plainPaths[route].some((known) => known.test(line));
  if (isPlain) return { type: "plain" };
  const message = `The gateway does not know what "${line.slice(0, 200)}" answers, and so it does not pass it on`;
  return { type: "refused", dialect: dialects[route], message };
}

/** The dialect in which this path answers with a turn of a model; undefined for all others, such as lists of models. */
function dialectOf(method: string, target: string): Dialect | undefined {
  if (method !== "POST") return undefined;
  const [path = ""] = target.split("?");
  if (path.endsWith("/messages")) return "anthropic";
  if (path.endsWith("/chat/completions")) return "openai-chat";
  if (path.endsWith("/responses")) return "openai-responses";
  return /:(?:streamG|g)enerateContent$/.test(path) ? "gemini" : undefined;
}
