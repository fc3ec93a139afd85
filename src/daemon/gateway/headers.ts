/** Which headers go through the gateway: all but those of one connection, and those that say how a body is packed. */
import { SECRET_HEADER } from "./routes.ts";

/** RFC 9110, section 7.6.1, and what each side sets for itself. */
const ofOneConnection: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** What we can unpack. */
const encodings: ReadonlySet<string> = new Set(["gzip", "br", "zstd"]);

type HeaderPair = readonly [name: string, value: string];

/** Names in lower case, in the order in which they came. */
export function pairsOf(raw: readonly (string | Uint8Array)[]): HeaderPair[] {
  const text = (value: string | Uint8Array | undefined): string =>
    typeof value === "string" ? value : Buffer.from(value ?? []).toString("latin1");
  const pairs: HeaderPair[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) pairs.push([text(raw[at]).toLowerCase(), text(raw[at + 1])]);
  return pairs;
}

/** The headers of a request as they go to the upstream. */
export function requestHeaders(raw: readonly string[]): string[] {
  const pairs = pairsOf(raw);
  const dropped = namedByConnection(pairs);
  const kept = pairs.filter(
    ([name]) =>
      !ofOneConnection.has(name) && !dropped.has(name) && name !== "accept-encoding" && name !== SECRET_HEADER,
  );
  const accepted = pairs
    .filter(([name]) => name === "accept-encoding")
    .flatMap(([, value]) => value.split(","))
    .map((item) => item.split(";")[0]?.trim().toLowerCase() ?? "")
    .filter((name) => encodings.has(name));
  return [...kept, ["accept-encoding", accepted.join(", ") || "identity"] as const].flat();
}

/** The headers of an answer as they go to the agent. The body goes unpacked. */
export function responseHeaders(pairs: readonly HeaderPair[]): string[] {
  const dropped = namedByConnection(pairs);
  return pairs
    .filter(
      ([name]) => !ofOneConnection.has(name) && !dropped.has(name) && name !== "content-encoding" && name !== "alt-svc",
    )
    .flat();
}

/** The headers of a message that a proxy passes on with the same body. */
export function proxiedHeaders(raw: readonly string[]): string[] {
  const pairs = pairsOf(raw);
  const dropped = namedByConnection(pairs);
  return pairs
    .filter(([name]) => name === "content-length" || !(ofOneConnection.has(name) || dropped.has(name)))
    .flat();
}

export const headerOf = (pairs: readonly HeaderPair[], name: string): string | undefined =>
  pairs.find(([key]) => key === name)?.[1];

/** A connection may name further headers that are its own. */
const namedByConnection = (pairs: readonly HeaderPair[]): ReadonlySet<string> =>
  new Set(
    pairs
      .filter(([name]) => name === "connection")
      .flatMap(([, value]) => value.split(",").map((item) => item.trim().toLowerCase())),
  );
