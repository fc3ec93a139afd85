/**
 * What may come in at all, decided before routing for every HTTP request and every upgrade. A pure decision: facts in, verdict out.
 *
 * It stands against DNS rebinding (Host with its port must be in the list), cross-site requests and WebSockets (Origin,
 * Sec-Fetch-Site, content type), tokens that leak through URLs, and paths that mean one thing here and another thing there.
 * No answer ever has a CORS header. Other local users are kept out by the token (TCP) or by file permissions (unix socket).
 */
import type { ErrorCode } from "../core/errors.ts";
import { isPagePath } from "../protocol/page-paths.ts";

export interface RequestFacts {
  readonly method: string;
  /** The request target as it was sent. */
  readonly url: string;
  readonly httpVersion: string;
  /** Names and values in turn, as they were sent: doubled headers are still seen. */
  readonly rawHeaders: readonly string[];
  readonly upgrade: boolean;
}

export interface GuardRules {
  /** `unix`: file permissions are the lock, so a request without a token is the owner's. */
  readonly kind: "tcp" | "unix";
  /** Allowed `Host` values in lower case, with the port where there is one. */
  readonly hosts: ReadonlySet<string>;
  /** Allowed `Origin` values. */
  readonly origins: ReadonlySet<string>;
  /** The cookie that may hold a token; undefined where no browser comes. */
  readonly cookieName: string | undefined;
}

/** `open`: the path needs no token, and one that came all the same only says whose connection it is. `owner`: a unix socket without a token. */
type Access =
  | { readonly type: "open"; readonly token: string | undefined }
  | { readonly type: "owner" }
  | { readonly type: "token"; readonly token: string; readonly from: "bearer" | "subprotocol" | "cookie" };

export interface Rejection {
  readonly allowed: false;
  readonly code: ErrorCode;
  /** A short name for logs and metrics. */
  readonly reason: string;
  readonly message: string;
}

export type GuardVerdict = { readonly allowed: true; readonly access: Access } | Rejection;

/** Paths that tell nothing about this machine, its sessions or its users, plus the exchange of a login code for a cookie. */
const openPaths: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/openapi.json", "/docs", "/login"]);
/** Query keys that people put tokens in. URLs end in logs, histories and Referer headers. */
const tokenKeys: ReadonlySet<string> = new Set(
  "access_token api_key apikey auth auth_token authorization bearer lectern_token token".split(" "),
);
const writeMethods: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);
const recordingTypes: ReadonlySet<string> = new Set([
  "application/x-asciicast",
  "application/x-ndjson",
  "application/octet-stream",
]);
const jsonTypes: ReadonlySet<string> = new Set(["application/json"]);
/** Here, and on another machine. */
const UPLOAD_PATH = /^\/v1\/(?:machines\/[^/]+\/)?sessions\/(?:import|[^/]+\/files)$/;
/** 256 bits in base64url, and nothing behind them. */
const ANSWER_LINK = /^\/v1\/answers\/[A-Za-z0-9_-]{43}$/;
const SUBPROTOCOL_PREFIX = "lectern.bearer.";
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;
/** Controls, separators of paths, line separators, and marks that change the direction of text. */
const UNSAFE_IN_SEGMENT = /[\u0000-\u001f\u007f-\u009f/\\\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/;

/** The verdict over one request. The caller still has to check the token itself. */
export function guard(facts: RequestFacts, rules: GuardRules): GuardVerdict {
  if (isAnswerLink(facts)) return { allowed: true, access: { type: "open", token: undefined } };
  return (
    checkHost(facts, rules) ??
    checkOrigin(facts, rules) ??
    checkTarget(facts.url) ??
    checkQuery(facts.url) ??
    checkAccess(facts, rules) ??
    checkContentType(facts) ?? { allowed: true, access: accessOf(facts, rules) }
  );
}

/**
 * A one-time answer link. Its token is all that counts: there is no cookie that a browser could add, so no Host, Origin or form of another site
 * can do what its sender could not do by itself. Buttons of ntfy, proxies and browsers come with values of their own.
 */
const isAnswerLink = ({ method, upgrade, url }: RequestFacts): boolean =>
  !upgrade && (method === "GET" || method === "HEAD" || method === "POST") && ANSWER_LINK.test(url);

/** Needs no token. A page has to come before somebody can log in on it; only its reading is open. */
function isOpen({ method, url, upgrade }: RequestFacts): boolean {
  if (upgrade) return false;
  const path = pathOf(url);
  return openPaths.has(path) || ((method === "GET" || method === "HEAD") && isPagePath(path));
}

/** All values of a header, in order. */
function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === name) values.push(rawHeaders[index + 1] ?? "");
  }
  return values;
}

export const headerList = (rawHeaders: readonly string[], name: string): string[] =>
  headerValues(rawHeaders, name)
    .flatMap((value) => value.split(","))
    .map((item) => item.trim())
    .filter((item) => item !== "");

/** Of a target as it stands in the request, without its query. */
export const pathOf = (url: string): string => url.split("?", 1)[0] ?? "";

const reject = (code: ErrorCode, reason: string, message: string): Rejection => ({
  allowed: false,
  code,
  reason,
  message,
});

function checkHost({ rawHeaders, httpVersion }: RequestFacts, rules: GuardRules): Rejection | undefined {
  const hosts = headerValues(rawHeaders, "host");
  const [host] = hosts;
  if (host === undefined && httpVersion === "1.1")
    return reject("MALFORMED", "host-missing", "Cannot take a request without a Host header");
  if (host !== undefined && hosts.length === 1 && rules.hosts.has(host.toLowerCase())) return undefined;
  const wanted = [...rules.hosts].map((name) => `"${name}"`).join(" or ");
  return reject("MISDIRECTED", "host", `Cannot answer for this Host: wanted exactly one, ${wanted}`);
}

function checkOrigin({ rawHeaders }: RequestFacts, rules: GuardRules): Rejection | undefined {
  const origins = headerValues(rawHeaders, "origin");
  const originFine = origins.length === 0 || (origins.length === 1 && rules.origins.has(origins[0] ?? ""));
  if (!originFine) return reject("FORBIDDEN", "origin", "Cannot take a request from a page of another origin");
  const sites = headerValues(rawHeaders, "sec-fetch-site");
  if (sites.every((site) => site === "same-origin" || site === "none")) return undefined;
  return reject("FORBIDDEN", "fetch-site", "Cannot take a request that another site started");
}

function checkTarget(url: string): Rejection | undefined {
  if (!url.startsWith("/")) return reject("MALFORMED", "target-form", "Cannot take a request target that is no path");
  if (!/^[\u0021-\u007e]*$/.test(url) || /[\\#]/.test(pathOf(url)))
    return reject("MALFORMED", "target-characters", "Cannot take a request target with characters that no URL has");
  for (const segment of pathOf(url).slice(1).split("/")) {
    const decoded = decode(segment);
    if (decoded === undefined || UNSAFE_IN_SEGMENT.test(decoded)) {
      return reject(
        "MALFORMED",
        "path",
        "Cannot take a path with broken escapes, escaped slashes or control characters",
      );
    }
    if (decoded === "." || decoded === "..")
      return reject("NOT_FOUND", "dot-segment", "Cannot find a path with dot segments");
  }
  return undefined;
}

function checkQuery(url: string): Rejection | undefined {
  const query = url.slice(pathOf(url).length + 1);
  if (query === "") return undefined;
  for (const part of query.split("&")) {
    const decoded = decode(part.replaceAll("+", " "));
    if (decoded === undefined) return reject("MALFORMED", "query", "Cannot take a query with broken escapes");
    const key = decoded.split("=", 1)[0]?.toLowerCase() ?? "";
    if (tokenKeys.has(key)) {
      return reject(
        "MALFORMED",
        "token-in-url",
        'Cannot take a token in a URL: send it as "Authorization: Bearer", and revoke this one if it was real',
      );
    }
  }
  return undefined;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const unauthenticated = (reason: string): Rejection =>
  reject(
    "UNAUTHENTICATED",
    reason,
    'Cannot answer without a valid token: send "Authorization: Bearer" with one of "lectern token"',
  );

/** Refuses a missing or malformed credential; whether a well-formed token is valid is for the daemon to say. */
function checkAccess(facts: RequestFacts, rules: GuardRules): Rejection | undefined {
  if (isOpen(facts)) return undefined;
  const found = credentials(facts, rules);
  const [first] = found;
  if (first === undefined) return rules.kind === "unix" ? undefined : unauthenticated("token-missing");
  if (found.length > 1 || !TOKEN.test(first.token)) return unauthenticated("token-malformed");
  // A cookie comes along by itself, so what can do harm with one must also prove which page it came from.
  const harmless = (facts.method === "GET" || facts.method === "HEAD") && !facts.upgrade;
  if (first.from === "cookie" && !harmless && headerValues(facts.rawHeaders, "origin").length === 0)
    return reject("FORBIDDEN", "origin-missing", "Cannot take a write with a cookie and without an Origin header");
  return undefined;
}

function accessOf(facts: RequestFacts, rules: GuardRules): Access {
  if (isOpen(facts)) return { type: "open", token: credentials(facts, rules)[0]?.token };
  return credentials(facts, rules)[0] ?? { type: "owner" };
}

/** Every credential of the strongest kind that there is: explicit ones first, so that a stale cookie does no harm. */
function credentials({ rawHeaders, upgrade }: RequestFacts, rules: GuardRules): (Access & { type: "token" })[] {
  const bearer = headerValues(rawHeaders, "authorization").map((value) => /^bearer +(.*)$/i.exec(value)?.[1] ?? "");
  if (bearer.length > 0) return bearer.map((token) => ({ type: "token", token, from: "bearer" }));
  const protocols = upgrade
    ? headerList(rawHeaders, "sec-websocket-protocol").filter((item) => item.startsWith(SUBPROTOCOL_PREFIX))
    : [];
  if (protocols.length > 0) {
    return protocols.map((item) => ({
      type: "token",
      token: item.slice(SUBPROTOCOL_PREFIX.length),
      from: "subprotocol",
    }));
  }
  return cookies(rawHeaders, rules.cookieName).map((token) => ({ type: "token", token, from: "cookie" }));
}

function cookies(rawHeaders: readonly string[], name: string | undefined): string[] {
  if (name === undefined) return [];
  return headerValues(rawHeaders, "cookie")
    .flatMap((value) => value.split(";"))
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}

/** A form of another site cannot send these types without asking first, and it never gets a yes. */
function checkContentType({ method, url, rawHeaders }: RequestFacts): Rejection | undefined {
  if (!writeMethods.has(method)) return undefined;
  const wanted = UPLOAD_PATH.test(pathOf(url)) ? recordingTypes : jsonTypes;
  const types = headerValues(rawHeaders, "content-type");
  const mediaType = types[0]?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const encodings = headerValues(rawHeaders, "content-encoding");
  if (types.length === 1 && wanted.has(mediaType) && encodings.every((encoding) => encoding === "identity"))
    return undefined;
  const list = [...wanted].join(", ");
  return reject("UNSUPPORTED_MEDIA_TYPE", "content-type", `Cannot read this body: send it uncompressed as ${list}`);
}

interface TcpRuleOptions {
  readonly port: number;
  /** The listener itself does TLS. */
  readonly isSecure: boolean;
  /** Addresses and names without a port. */
  readonly hosts: readonly string[];
  /** Further names with their ports and origins, which may be those of a proxy. */
  readonly named: readonly { readonly host: string; readonly origin: string }[];
}

/** The rules of a listener on a port. A port that the protocol has by default may be left out by clients. */
export function tcpRules({ hosts: names, isSecure, named, port }: TcpRuleOptions): GuardRules {
  const [protocol, usual] = isSecure ? ["https", 443] : ["http", 80];
  const own = names.flatMap((name) => (port === usual ? [name, `${name}:${port}`] : [`${name}:${port}`]));
  return {
    kind: "tcp",
    hosts: new Set([...own, ...named.map(({ host }) => host)]),
    origins: new Set([...own.map((host) => `${protocol}://${host}`), ...named.map(({ origin }) => origin)]),
    // A cookie that was set over TLS cannot be replaced over HTTP, so the two have different names. Browsers require `Secure` for the first one.
    cookieName: isSecure ? `__Host-lectern-${port}` : `lectern-${port}`,
  };
}

/** The rules of a unix socket: no page can reach it, so an Origin is always wrong. */
export const unixRules: GuardRules = {
  kind: "unix",
  hosts: new Set(["localhost", "lectern"]),
  origins: new Set(),
  cookieName: undefined,
};
