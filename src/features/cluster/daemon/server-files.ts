/** The files of one nats-server, as texts. Paths in them are relative to its working directory, so the directory can be copied anywhere. */
import { permissionsOf, type MemberRole } from "./permissions.ts";

export interface ClusterServer {
  /** Directory and name of the server. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

export interface ClusterMember {
  readonly name: string;
  readonly role: MemberRole;
  /** Public key, begins with U. */
  readonly key: string;
}

/** Where routes between the servers are accepted: as 4222 and 6222, the usual ports. */
const ROUTE_PORT_DISTANCE = 2000;
/** A frame has at most 128 KiB. */
const PAYLOAD_BYTES_MAX = 1024 * 1024;
/** Undelivered bytes of one connection, after which the server closes it: the windows of 64 tunnels. */
const PENDING_BYTES_MAX = 64 * 1024 * 1024;
const HEAP_LIMIT = "256MiB";

/** The port itself is given to the server, so "0.0.0.0" only where the host is not of this machine alone. */
const listenAddress = (host: string): string => (isLoopback(host) ? loopbackAddress(host) : "0.0.0.0");

const loopbackAddress = (host: string): string => (host === "localhost" ? "127.0.0.1" : host);

/** The names and addresses that never leave a machine. */
export const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/.test(host);

export const serverUrl = ({ host, port }: ClusterServer): string => `tls://${host}:${port}`;

export interface ServerFeatures {
  /** Knows `sync_interval` (2.10 and later): each message is on disk before it is acknowledged. */
  readonly syncInterval: boolean;
}

/** `server.conf`. */
export function serverConfiguration(
  server: ClusterServer,
  { others, features }: { readonly others: readonly ClusterServer[]; readonly features: ServerFeatures },
): string {
  const tls = (verify: boolean): string =>
    `tls {\n  cert_file: "server.crt"\n  key_file: "server.key"\n  ca_file: "ca.crt"\n  timeout: 5\n${verify ? "  verify: true\n" : ""}}`;
  return [
    '# Written by "lectern cluster init". The members are in users.conf, which "lectern cluster add" writes again.',
    `server_name: "${server.name}"`,
    `listen: "${listenAddress(server.host)}:${server.port}"`,
    'pid_file: "nats-server.pid"',
    `max_payload: ${PAYLOAD_BYTES_MAX}`,
    `max_pending: ${PENDING_BYTES_MAX}`,
    'write_deadline: "5s"',
    'ping_interval: "10s"',
    "ping_max: 2",
    tls(false),
    "jetstream {",
    '  store_dir: "jetstream"',
    "  max_memory_store: 64MB",
    "  max_file_store: 10GB",
    features.syncInterval
      ? "  sync_interval: always"
      : "  # For 2.10 and later: a message is on disk before it is acknowledged.\n  # sync_interval: always",
    "}",
    ...(others.length === 0 ? [] : [clusterBlock(server, others, tls(true))]),
    'include "users.conf"',
    "",
  ].join("\n");
}

const clusterBlock = (server: ClusterServer, others: readonly ClusterServer[], tls: string): string =>
  [
    "cluster {",
    '  name: "lectern"',
    `  listen: "${listenAddress(server.host)}:${server.port + ROUTE_PORT_DISTANCE}"`,
    "  # Others are reached by the names in their certificates only.",
    "  no_advertise: true",
    `  routes: [${others.map(({ host, port }) => `"nats-route://${host}:${port + ROUTE_PORT_DISTANCE}"`).join(", ")}]`,
    tls.replaceAll(/^/gm, "  "),
    "}",
  ].join("\n");

/** `users.conf`: public keys and what each may do. It contains no secret. */
export function usersConfiguration(members: readonly ClusterMember[], adminKey: string): string {
  const list = (subjects: readonly string[]): string => subjects.map((subject) => JSON.stringify(subject)).join(", ");
  const users = members.map(({ name, role, key }) => {
    const { publish, subscribe } = permissionsOf(name, role);
    return [
      `      # ${name}, ${role}`,
      `      { nkey: ${key}, permissions: {`,
      `        publish: { allow: [${list(publish)}] }`,
      `        subscribe: { allow: [${list(subscribe)}] }`,
      "      } }",
    ].join("\n");
  });
  return [
    '# Written by "lectern cluster": do not edit. "lectern cluster add" and "remove" write it again.',
    "accounts {",
    "  LECTERN {",
    "    jetstream: enabled",
    "    users: [",
    "      # makes the buckets",
    `      { nkey: ${adminKey} }`,
    ...users,
    "    ]",
    "  }",
    "  SYS {}",
    "}",
    "system_account: SYS",
    "",
  ].join("\n");
}

/** `lectern-nats.service`. The limit keeps the server small, which takes what memory there is otherwise. */
export const systemdUnit = (directory: string): string =>
  [
    "[Unit]",
    "Description=NATS server of a Lectern cluster",
    "After=network-online.target",
    "Wants=network-online.target",
    "",
    "[Service]",
    `Environment=GOMEMLIMIT=${HEAP_LIMIT}`,
    `WorkingDirectory=${directory}`,
    "ExecStart=nats-server -c server.conf",
    "ExecReload=kill -HUP $MAINPID",
    "User=nats",
    "UMask=0077",
    "Restart=always",
    "RestartSec=1",
    "NoNewPrivileges=yes",
    "ProtectSystem=strict",
    `ReadWritePaths=${directory}`,
    "ProtectHome=yes",
    "PrivateTmp=yes",
    "LimitNOFILE=65536",
    "",
    "[Install]",
    "WantedBy=multi-user.target",
    "",
  ].join("\n");
