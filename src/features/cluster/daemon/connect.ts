/**
 * A connection to the servers of a cluster, made only after the servers have shown that they are what the design needs: encrypted, closed
 * to anybody without a key, and with JetStream.
 */
import { JetStreamApiError, jetstreamManager, type JetStreamManager } from "@nats-io/jetstream";
import {
  AuthorizationError,
  connect,
  nkeyAuthenticator,
  TimeoutError,
  type NatsConnection,
  type NodeConnectionOptions,
} from "@nats-io/transport-node";
import { LecternError } from "../../../core/errors.ts";
import type { MemberToken } from "./member-token.ts";
import { isLoopback } from "./server-files.ts";
import { inboxPrefix, MACHINES_STREAM } from "./subjects.ts";
import { createConnection, type Socket } from "node:net";

/** A server that accepts a connection and says nothing is stopped, or is not a server. */
const HANDSHAKE_MS_MAX = 5000;
/** Two unanswered pings, so a server that stopped is noticed after two to three seconds. */
const PING_EVERY_MS = 1000;
const PINGS_UNANSWERED_MAX = 2;
const JETSTREAM_MS_MAX = 2000;
/** The first version with consumers and reads by name that are checked against permissions. */
const VERSION_MIN = [2, 9] as const;

export interface CheckedConnection {
  readonly connection: NatsConnection;
  readonly jetstream: JetStreamManager;
}

/**
 * Connects with the key of a token, without a word about JetStream, which nothing live may wait for. Throws `FORBIDDEN` for servers that are not
 * closed or not encrypted, `UNAUTHENTICATED` for a key that they do not know, `VERSION_MISMATCH`, `DAEMON_UNREACHABLE` if none answers.
 */
export async function openConnection(token: MemberToken): Promise<CheckedConnection> {
  refusePlain(token.servers);
  const server = await answeringServer(token.servers);
  const closed = refuseOpen(server, token);
  closed.catch(() => undefined);
  const connection = await connectTo(server, token);
  try {
    refuseOld(connection.info?.version ?? "0", server);
    await closed;
    return {
      connection,
      jetstream: await jetstreamManager(connection, { checkAPI: false, timeout: JETSTREAM_MS_MAX }),
    };
  } catch (error) {
    await connection.close().catch(() => undefined);
    throw error;
  }
}

/** As `openConnection`, and with what `checkJetStream` finds. Throws as both. */
export async function connectChecked(
  token: MemberToken,
): Promise<CheckedConnection & { readonly degraded: string | null }> {
  const checked = await openConnection(token);
  try {
    return { ...checked, degraded: await checkJetStream(checked, token) };
  } catch (error) {
    await checked.connection.close().catch(() => undefined);
    throw error;
  }
}

function refuseOld(version: string, server: string): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > VERSION_MIN[0] || (major === VERSION_MIN[0] && minor >= VERSION_MIN[1])) return;
  throw new LecternError(
    "VERSION_MISMATCH",
    `Cannot use the server ${server}: it is nats-server ${version}, wanted ${VERSION_MIN.join(".")} or later`,
  );
}

function refusePlain(servers: readonly string[]): void {
  for (const server of servers) {
    const { protocol, hostname } = new URL(server);
    if (protocol === "tls:" || isLoopback(hostname)) continue;
    const next = 'use a tls:// address; "lectern cluster init" makes certificates';
    throw new LecternError(
      "FORBIDDEN",
      `Cannot use the server ${server}: the connection would not be encrypted; ${next}`,
    );
  }
}

/** A connection that breaks is over: whoever needs another one connects again, with all checks, and nothing is queued meanwhile. */
async function connectTo(server: string, token: MemberToken): Promise<NatsConnection> {
  try {
    return await connect({
      ...transportOptions(server, token),
      authenticator: nkeyAuthenticator(Buffer.from(token.seed)),
      inboxPrefix: inboxPrefix(token.name),
      name: `lectern ${token.name}`,
      pingInterval: PING_EVERY_MS,
      maxPingOut: PINGS_UNANSWERED_MAX,
    });
  } catch (cause) {
    throw connectError(cause, server, token);
  }
}

const transportOptions = (server: string, { authority }: MemberToken): NodeConnectionOptions => ({
  servers: server,
  reconnect: false,
  ignoreClusterUpdates: true,
  timeout: HANDSHAKE_MS_MAX,
  noAsyncTraces: true,
  ...(server.startsWith("tls:") ? { tls: authority === null ? {} : { ca: authority } } : {}),
});

/** A server that lets anybody in gives anybody a shell on each machine. */
async function refuseOpen(server: string, token: MemberToken): Promise<void> {
  let stranger: NatsConnection;
  try {
    stranger = await connect(transportOptions(server, token));
  } catch (cause) {
    // Only this answer shows that the server is closed; one that was too slow, or full, has said nothing.
    if (cause instanceof AuthorizationError) return;
    throw connectError(cause, server, token);
  }
  await stranger.close().catch(() => undefined);
  const next = 'remove "no_auth_user" and give each account its keys, as in the files of "lectern cluster init"';
  throw new LecternError("FORBIDDEN", `Cannot use the server ${server}: it lets anybody in without a key; ${next}`);
}

/**
 * Why JetStream does not answer at this time; null if it does. Three servers choose a leader for some seconds. Throws `NOT_AVAILABLE` if
 * the servers do not have it, or not the buckets.
 */
export async function checkJetStream(
  { connection: { info }, jetstream: manager }: CheckedConnection,
  { role }: MemberToken,
): Promise<string | null> {
  try {
    if (role === "admin") await manager.getAccountInfo();
    else await manager.streams.info(MACHINES_STREAM);
    return null;
  } catch (error) {
    return judgeJetStream(error, info?.jetstream === true);
  }
}

/** Missing for good is an error; slow to answer is not. */
function judgeJetStream(error: unknown, hasJetStream: boolean): string {
  if (error instanceof JetStreamApiError && error.status === 404) {
    const next = 'run "lectern cluster prepare" where the cluster was made';
    throw new LecternError("NOT_AVAILABLE", `Cannot use the cluster: its buckets are missing; ${next}`, {
      cause: error,
    });
  }
  const isDisabled = error instanceof Error && /not enabled/i.test(error.message);
  // Without a leader, nobody answers either; then the server has it.
  const isMissing = isDisabled && (error instanceof JetStreamApiError || !hasJetStream);
  if (isMissing) {
    const next = 'add a jetstream block to its configuration, as in the files of "lectern cluster init"';
    throw new LecternError("NOT_AVAILABLE", `Cannot use servers without JetStream: ${next}`, { cause: error });
  }
  return `JetStream does not answer: ${(error as Error).message}`;
}

/** What a failure to connect means, with the next step. No message contains a key. */
function connectError(cause: unknown, where: string, { name }: MemberToken): LecternError {
  if (cause instanceof AuthorizationError) {
    const next =
      'the member was removed, or the servers have not read their configuration again: see "lectern cluster add"';
    return new LecternError("UNAUTHENTICATED", `Cannot join as "${name}": ${where} refused its key; ${next}`, {
      cause,
    });
  }
  const reason = deepMessage(cause);
  if (/not yet valid|has expired/i.test(reason)) {
    const next = "check the clock of this machine, and until when the certificates of the servers are valid";
    return new LecternError("FORBIDDEN", `Cannot trust ${where}: ${reason}; ${next}`, { cause });
  }
  if (/self.signed|certificate|altnames|unable to verify/i.test(reason)) {
    const next = "join again with a token file of this cluster";
    return new LecternError("FORBIDDEN", `Cannot trust ${where}: ${reason}; ${next}`, { cause });
  }
  const why = cause instanceof TimeoutError ? `no answer in ${HANDSHAKE_MS_MAX / 1000} s` : reason;
  return new LecternError(
    "DAEMON_UNREACHABLE",
    `Cannot reach ${where}: ${why}; check that the servers run, and the firewall between`,
    { cause },
  );
}

function deepMessage(error: unknown): string {
  let found = error;
  while (found instanceof Error && found.cause instanceof Error) found = found.cause;
  return found instanceof Error ? found.message || found.name : String(found);
}

const ANSWER_MS_MAX = 2000;
/** A server begins with a line of JSON about itself. */
const GREETING = "INFO ";
const DEFAULT_PORT = 4222;

/** The first of them that greets. Throws `DAEMON_UNREACHABLE` with what each did. */
async function answeringServer(servers: readonly string[]): Promise<string> {
  const sockets: Socket[] = [];
  try {
    return await Promise.any(servers.map(async (server) => greeting(server, sockets)));
  } catch (cause) {
    const reasons =
      cause instanceof AggregateError ? cause.errors.map((error: Error) => error.message) : [String(cause)];
    const next = "check that the servers run, and the firewall between";
    throw new LecternError("DAEMON_UNREACHABLE", `Cannot reach the cluster: ${reasons.join("; ")}; ${next}`, { cause });
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

async function greeting(server: string, sockets: Socket[]): Promise<string> {
  const { hostname, port } = new URL(server);
  const socket = createConnection({
    host: hostname.replaceAll(/^\[|\]$/g, ""),
    port: port === "" ? DEFAULT_PORT : Number(port),
  });
  sockets.push(socket);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const timer = setTimeout(
    () => reject(new Error(`${server} said nothing for ${ANSWER_MS_MAX / 1000} s`)),
    ANSWER_MS_MAX,
  );
  socket.once("data", (data) => {
    if (data.toString("latin1").startsWith(GREETING)) resolve(server);
    else reject(new Error(`${server} is not a nats-server`));
  });
  socket.on("error", (error) => reject(new Error(`${server}: ${error.message}`)));
  socket.once("close", () => reject(new Error(`${server} closed the connection`)));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
