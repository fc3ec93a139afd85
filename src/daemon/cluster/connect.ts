/**
 * A connection to the servers of a cluster, made only after the servers have shown that they are what the design needs: encrypted, closed
 * to anybody without a key, and with JetStream.
 */
import { JetStreamApiError, JetStreamError, jetstreamManager, type JetStreamManager } from "@nats-io/jetstream";
import {
  AuthorizationError,
  connect,
  NoRespondersError,
  nkeyAuthenticator,
  TimeoutError,
  type NatsConnection,
  type NodeConnectionOptions,
} from "@nats-io/transport-node";
import { LecternError } from "../../core/errors.ts";
import type { MemberToken } from "./member-token.ts";
import { isLoopback } from "./server-files.ts";
import { inboxPrefix, MACHINES_STREAM } from "./subjects.ts";

/** A server that accepts a connection and says nothing is stopped, or is not a server. */
const HANDSHAKE_MS_MAX = 2000;
/** Two unanswered pings, so a server that stopped is noticed after two to three seconds. */
const PING_EVERY_MS = 1000;
const PINGS_UNANSWERED_MAX = 2;
/** Between attempts to connect again: doubled from the first to the last. */
const RETRY_MS_MIN = 50;
const RETRY_MS_MAX = 1000;
const JETSTREAM_MS_MAX = 2000;
/** The first version with consumers and reads by name that are checked against permissions. */
const VERSION_MIN = [2, 9] as const;

export interface CheckedConnection {
  readonly connection: NatsConnection;
  readonly jetstream: JetStreamManager;
  /** Why JetStream does not answer at this time; null if it does. Three servers choose a leader for some seconds. */
  readonly degraded: string | null;
}

/**
 * Connects with the key of a token. Throws `FORBIDDEN` for servers that are not closed or not encrypted, `UNAUTHENTICATED` for a key that they
 * do not know, `NOT_AVAILABLE` without JetStream, `VERSION_MISMATCH`, `DAEMON_UNREACHABLE` if none answers.
 */
export async function connectChecked(token: MemberToken): Promise<CheckedConnection> {
  refusePlain(token.servers);
  const connection = await connectWith(token);
  try {
    await checkServer(connection, token);
    const manager = await jetstreamManager(connection, { checkAPI: false, timeout: JETSTREAM_MS_MAX });
    return { connection, jetstream: manager, degraded: await checkJetStream(connection, manager, token) };
  } catch (error) {
    await connection.close().catch(() => undefined);
    throw error;
  }
}

/** What is to be known of the server that a connection has now; again after each time that it connects. */
export async function checkServer(connection: NatsConnection, token: MemberToken): Promise<void> {
  const server = connection.getServer();
  const { version = "0" } = connection.info ?? {};
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major < VERSION_MIN[0] || (major === VERSION_MIN[0] && minor < VERSION_MIN[1])) {
    const wanted = `${VERSION_MIN.join(".")} or later`;
    throw new LecternError(
      "VERSION_MISMATCH",
      `Cannot use the server ${server}: it is nats-server ${version}, wanted ${wanted}`,
    );
  }
  await refuseOpen(server, token);
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

async function connectWith(token: MemberToken): Promise<NatsConnection> {
  let attempts = 0;
  const reconnectDelayHandler = (): number => {
    const delay = Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** Math.min(attempts++, 10));
    return delay * (0.5 + Math.random() / 2);
  };
  try {
    const connection = await connect({
      ...transportOptions(token),
      authenticator: nkeyAuthenticator(Buffer.from(token.seed)),
      inboxPrefix: inboxPrefix(token.name),
      name: `lectern ${token.name}`,
      maxReconnectAttempts: -1,
      pingInterval: PING_EVERY_MS,
      maxPingOut: PINGS_UNANSWERED_MAX,
      reconnectDelayHandler,
    });
    void forgetAttempts(connection, () => (attempts = 0));
    return connection;
  } catch (cause) {
    throw connectError(cause, token);
  }
}

async function forgetAttempts(connection: NatsConnection, forget: () => void): Promise<void> {
  for await (const { type } of connection.status()) if (type === "reconnect") forget();
}

/** Only the servers of the token: the addresses that servers tell are not in their certificates. */
const transportOptions = ({ servers, authority }: MemberToken): NodeConnectionOptions => ({
  servers: [...servers],
  ignoreClusterUpdates: true,
  timeout: HANDSHAKE_MS_MAX,
  noAsyncTraces: true,
  ...(servers.some((server) => server.startsWith("tls:")) ? { tls: authority === null ? {} : { ca: authority } } : {}),
});

/** A server that lets anybody in gives anybody a shell on each machine. */
async function refuseOpen(server: string, token: MemberToken): Promise<void> {
  let stranger: NatsConnection;
  try {
    const { protocol } = new URL(token.servers[0] ?? "");
    stranger = await connect({ ...transportOptions(token), servers: `${protocol}//${server}`, reconnect: false });
  } catch (error) {
    if (error instanceof AuthorizationError) return;
    // It broke meanwhile, so the connection with the key breaks too, and is checked when it is there again.
    return;
  }
  await stranger.close().catch(() => undefined);
  const next = 'remove "no_auth_user" and give each account its keys, as in the files of "lectern cluster init"';
  throw new LecternError("FORBIDDEN", `Cannot use the server ${server}: it lets anybody in without a key; ${next}`);
}

async function checkJetStream(
  { info }: NatsConnection,
  manager: JetStreamManager,
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
  const isMissing =
    (error instanceof JetStreamError && /not enabled/i.test(error.message)) ||
    (error instanceof JetStreamApiError && /not enabled/i.test(error.message)) ||
    (error instanceof NoRespondersError && !hasJetStream);
  if (isMissing) {
    const next = 'add a jetstream block to its configuration, as in the files of "lectern cluster init"';
    throw new LecternError("NOT_AVAILABLE", `Cannot use servers without JetStream: ${next}`, { cause: error });
  }
  return `JetStream does not answer: ${(error as Error).message}`;
}

/** What a failure to connect means, with the next step. No message contains a key. */
function connectError(cause: unknown, { name, servers }: MemberToken): LecternError {
  const where = servers.join(", ");
  if (cause instanceof AuthorizationError) {
    const next =
      'the member was removed, or the servers have not read their configuration again: see "lectern cluster add"';
    return new LecternError("UNAUTHENTICATED", `Cannot join as "${name}": ${where} refused its key; ${next}`, {
      cause,
    });
  }
  const reason = deepMessage(cause);
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
