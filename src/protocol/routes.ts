/**
 * Name, method, path and scope of each operation, without its schemas, so that a client that only needs the address
 * of an operation loads no schema library. `operations.ts` adds the schemas; a test holds the two together.
 */

/** What a token may do: each scope includes the ones before it. */
export type Scope = "read" | "write" | "admin";

/** How the answer comes: one JSON document, a body of bytes, server-sent events, or a WebSocket upgrade. */
export type RouteKind = "json" | "bytes" | "sse" | "websocket";

export interface Route {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** `{name}` stands for a path parameter. */
  readonly path: string;
  readonly scope: Scope;
  readonly kind: RouteKind;
  /** Only for people: refused over the unix socket to a process inside a session, whatever its token. */
  readonly person?: true;
}

const route = <const Kind extends RouteKind = "json">(
  method: Route["method"],
  path: string,
  scope: Scope,
  kind: Kind = "json" as Kind,
): Route & { readonly kind: Kind } => ({ method, path, scope, kind });

const forPeople = <Given extends Route>(given: Given): Given & { readonly person: true } => ({
  ...given,
  person: true,
});

export const routes = {
  "daemon.info": route("GET", "/v1/daemon", "read"),
  "daemon.stop": forPeople(route("POST", "/v1/daemon/stop", "admin")),
  "hosts.drain": forPeople(route("POST", "/v1/hosts/drain", "admin")),
  "daemon.agents": route("GET", "/v1/agents", "read"),
  "daemon.updates": route("GET", "/v1/updates", "read", "sse"),
  "sessions.search": route("GET", "/v1/search", "read"),
  "sessions.list": route("GET", "/v1/sessions", "read"),
  "sessions.create": route("POST", "/v1/sessions", "write"),
  "sessions.import": route("POST", "/v1/sessions/import", "write"),
  "sessions.get": route("GET", "/v1/sessions/{session}", "read"),
  "sessions.update": route("PATCH", "/v1/sessions/{session}", "write"),
  "sessions.remove": route("DELETE", "/v1/sessions/{session}", "write"),
  "sessions.input": route("POST", "/v1/sessions/{session}/input", "write"),
  "sessions.keys": route("POST", "/v1/sessions/{session}/keys", "write"),
  "sessions.prompt": route("POST", "/v1/sessions/{session}/prompts", "write"),
  "sessions.cancel": route("DELETE", "/v1/sessions/{session}/prompts/{key}", "write"),
  "sessions.receipts": route("GET", "/v1/sessions/{session}/prompts", "read"),
  "sessions.receipt": route("GET", "/v1/sessions/{session}/prompts/{key}", "read"),
  "sessions.resize": route("POST", "/v1/sessions/{session}/resize", "write"),
  "sessions.signal": route("POST", "/v1/sessions/{session}/signal", "write"),
  "sessions.kill": route("POST", "/v1/sessions/{session}/kill", "write"),
  "sessions.exec": route("POST", "/v1/sessions/{session}/exec", "write"),
  "sessions.abort": route("DELETE", "/v1/sessions/{session}/exec/{key}", "write"),
  "sessions.wait": route("POST", "/v1/sessions/{session}/wait", "read"),
  "sessions.logs": route("GET", "/v1/sessions/{session}/logs", "read"),
  "sessions.records": route("GET", "/v1/sessions/{session}/records", "read"),
  "sessions.output": route("GET", "/v1/sessions/{session}/output", "read", "bytes"),
  "sessions.export": route("GET", "/v1/sessions/{session}/export", "read", "bytes"),
  "sessions.screen": route("GET", "/v1/sessions/{session}/screen", "read"),
  "sessions.status": route("GET", "/v1/sessions/{session}/status", "read"),
  "sessions.messages": route("GET", "/v1/sessions/{session}/messages", "read"),
  "sessions.digest": route("GET", "/v1/sessions/{session}/digest", "read"),
  "sessions.changes": route("GET", "/v1/sessions/{session}/changes", "read"),
  "sessions.updates": route("GET", "/v1/sessions/{session}/updates", "read", "sse"),
  "sessions.reindex": route("POST", "/v1/sessions/{session}/reindex", "write"),
  "sessions.events": route("GET", "/v1/sessions/{session}/events", "read", "sse"),
  "sessions.tagged": route("GET", "/v1/sessions/{session}/tagged", "read"),
  "sessions.attach": route("GET", "/v1/sessions/{session}/attach", "read", "websocket"),
  "approvals.list": route("GET", "/v1/approvals", "read"),
  "approvals.answer": forPeople(route("POST", "/v1/sessions/{session}/approvals/{approval}", "write")),
  "audit.list": route("GET", "/v1/audit", "read"),
  "audit.open": route("GET", "/v1/audit/open", "read"),
  "audit.find": route("GET", "/v1/audit/call", "read"),
  "audit.verify": route("POST", "/v1/audit/verify", "read"),
  "audit.append": route("POST", "/v1/audit", "admin"),
  "policy.get": route("GET", "/v1/sessions/{session}/policy", "read"),
  "policy.check": route("POST", "/v1/policy/check", "read"),
  "policy.replay": route("POST", "/v1/sessions/{session}/policy/replay", "read"),
  "blobs.get": route("GET", "/v1/blobs/{hash}", "read", "bytes"),
  "tokens.create": forPeople(route("POST", "/v1/tokens", "admin")),
  "tokens.list": route("GET", "/v1/tokens", "admin"),
  "tokens.revoke": forPeople(route("DELETE", "/v1/tokens/{token}", "admin")),
} as const;

export type OperationName = keyof typeof routes;

/** The version in greetings and in `daemon.info`: it changes when an older peer would misunderstand. */
export const PROTOCOL_VERSION = 2;

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
