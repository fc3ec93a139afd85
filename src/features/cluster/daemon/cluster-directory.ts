/**
 * The directory of a cluster: the keys of its authority and of who makes its buckets, its list of members, and a directory for each server.
 * It is kept where the cluster is administered; a server needs only its own directory.
 *
 *     cluster.json        servers and members, without secrets
 *     ca.crt ca.key       the authority of the servers' certificates
 *     admin.token         makes the buckets
 *     NAME.token          of each member, to be moved to its machine
 *     SERVER/             server.conf users.conf server.crt server.key ca.crt lectern-nats.service
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createUser } from "@nats-io/nkeys";
import * as z from "zod";
import { LecternError } from "../../../core/errors.ts";
import { textInFile, replaceFile } from "../../../host/json-file.ts";
import { createPrivateFile } from "../../../host/private-directory.ts";
import { makeAuthority, makeServerCertificate } from "../../../daemon/certificates/certificates.ts";
import { memberNameSchema, tokenText, type MemberToken } from "./member-token.ts";
import { memberRoles, offersSessions, type MemberRole } from "./permissions.ts";
import {
  serverConfiguration,
  serverUrl,
  systemdUnit,
  usersConfiguration,
  type ClusterServer,
  type ServerFeatures,
} from "./server-files.ts";

/** Where the unit expects the directory of its server. */
export const SERVER_DIRECTORY = "/var/lib/lectern-cluster";
const DEFAULT_PORT = 4222;
/** Of members, and so of users in the configuration. */
const MEMBERS_MAX = 1000;
const PUBLIC_KEY = /^U[A-Z2-7]{55}$/;

const serverSchema = z.strictObject({ name: z.string(), host: z.string(), port: z.int() });
const stateSchema = z.strictObject({
  lectern: z.literal("cluster-1"),
  servers: z.array(serverSchema),
  adminKey: z.string().regex(PUBLIC_KEY),
  members: z.array(
    z.strictObject({ name: memberNameSchema, role: z.enum(memberRoles), key: z.string().regex(PUBLIC_KEY) }),
  ),
});
type ClusterState = z.infer<typeof stateSchema>;

/** Reads `a[:port],b,c`. Throws `USAGE`. */
export function readServers(text: string): ClusterServer[] {
  const servers = text.split(",").map((word) => {
    const [, host, port = `${DEFAULT_PORT}`] = /^([A-Za-z0-9.-]+)(?::(\d{1,5}))?$/.exec(word.trim()) ?? [];
    if (host === undefined) throw usage(`"${word}" is not a host name with an optional port`);
    return { host: host.toLowerCase(), port: Number(port) };
  });
  if (servers.length !== 1 && servers.length !== 3) {
    const why = "one, or three, of which one may fail";
    throw usage(`${servers.length} servers are given, wanted ${why}`);
  }
  const places = new Set(servers.map(({ host, port }) => `${host}:${port}`));
  if (places.size < servers.length) throw usage("a server is given twice");
  const hosts = new Set(servers.map(({ host }) => host));
  return servers.map(({ host, port }) => ({
    name: hosts.size === servers.length ? host : `${host}-${port}`,
    host,
    port,
  }));
}

/** Makes the directory, which must not exist. Throws `CONFLICT`, `COMMAND_NOT_FOUND`. */
export async function createClusterDirectory(
  directory: string,
  { servers, features }: { readonly servers: readonly ClusterServer[]; readonly features: ServerFeatures },
): Promise<void> {
  if (existsSync(directory)) {
    const next = 'add members with "lectern cluster add", or give another directory with --out';
    throw new LecternError("CONFLICT", `Cannot make a cluster in "${directory}": it exists already; ${next}`);
  }
  // Made beside it, so that a failure leaves nothing behind that looks complete.
  const making = `${resolve(directory)}.making-${process.pid}`;
  mkdirSync(making, { recursive: true, mode: 0o700 });
  try {
    await makeAuthority(making);
    const admin = createUser();
    const state: ClusterState = {
      lectern: "cluster-1",
      servers: [...servers],
      adminKey: admin.getPublicKey(),
      members: [],
    };
    createPrivateFile(
      join(making, "admin.token"),
      tokenText(tokenOf(making, state, { name: "admin", role: "admin", seed: seedOf(admin) })),
    );
    for (const server of servers) await makeServerFiles(making, server, { servers, features });
    writeState(making, state);
    renameSync(making, directory);
  } catch (error) {
    rmSync(making, { recursive: true, force: true });
    throw error;
  }
}

async function makeServerFiles(
  directory: string,
  server: ClusterServer,
  { servers, features }: { readonly servers: readonly ClusterServer[]; readonly features: ServerFeatures },
): Promise<void> {
  const own = join(directory, server.name);
  mkdirSync(own, { mode: 0o700 });
  const others = servers.filter((other) => other !== server);
  writeFileSync(join(own, "server.conf"), serverConfiguration(server, { others, features }), { mode: 0o600 });
  writeFileSync(join(own, "lectern-nats.service"), systemdUnit(SERVER_DIRECTORY));
  copyFileSync(join(directory, "ca.crt"), join(own, "ca.crt"));
  await makeServerCertificate(own, server.host, directory);
}

/** Makes a key for a new member and writes its token file. The servers do not know it before `reloadServers`. Throws `NAME_TAKEN`. */
export function addMember(
  directory: string,
  { name, role }: { readonly name: string; readonly role: MemberRole },
): { readonly tokenFile: string } {
  const state = readState(directory);
  const parsed = memberNameSchema.safeParse(name);
  if (!parsed.success || name === "admin") {
    const why = parsed.success ? "it is the name of the administrator" : parsed.error.issues[0]?.message;
    throw new LecternError("INVALID_INPUT", `Cannot add the member "${name}": ${why}`);
  }
  // Names are told apart by people too, and files by case only on some systems.
  const taken = state.members.find((member) => member.name.toLowerCase() === name.toLowerCase());
  if (taken !== undefined) {
    const next = `choose another name, or run "lectern cluster remove ${taken.name}" first if its key is lost`;
    throw new LecternError(
      "NAME_TAKEN",
      `Cannot add the member "${name}": the cluster has a member "${taken.name}"; ${next}`,
    );
  }
  if (state.members.length >= MEMBERS_MAX)
    throw new LecternError("LIMIT_EXCEEDED", `Cannot add the member "${name}": the cluster has ${MEMBERS_MAX} members`);
  const user = createUser();
  const tokenFile = join(directory, `${name}.token`);
  // Of a member that was removed: its key is worth nothing any more.
  rmSync(tokenFile, { force: true });
  createPrivateFile(tokenFile, tokenText(tokenOf(directory, state, { name, role, seed: seedOf(user) })));
  writeState(directory, { ...state, members: [...state.members, { name, role, key: user.getPublicKey() }] });
  return { tokenFile };
}

/** The servers refuse its key after `reloadServers`, and close its connection. Throws `NOT_FOUND`. */
export function removeMember(directory: string, name: string): void {
  const state = readState(directory);
  const members = state.members.filter((member) => member.name !== name);
  if (members.length === state.members.length) {
    const names = state.members.map((member) => member.name).join(", ") || "none";
    throw new LecternError("NOT_FOUND", `Cannot find the member "${name}": members are ${names}`);
  }
  rmSync(join(directory, `${name}.token`), { force: true });
  writeState(directory, { ...state, members });
}

/** Names of the members that offer sessions. Throws `NOT_FOUND` for a directory without a cluster. */
export const machinesOf = (directory: string): readonly string[] =>
  readState(directory)
    .members.filter(({ role }) => offersSessions(role))
    .map(({ name }) => name);

export const serversOf = (directory: string): readonly ClusterServer[] => readState(directory).servers;

/** Throws `NOT_FOUND` for a directory without a cluster. */
function readState(directory: string): ClusterState {
  const text = textInFile(join(directory, "cluster.json"));
  if (text === undefined) {
    const next = '"lectern cluster init --servers HOST" makes one; name its directory with --out';
    throw new LecternError("NOT_FOUND", `Cannot find a cluster in "${directory}": ${next}`);
  }
  const parsed = stateSchema.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  const why = parsed.error.issues[0]?.message ?? "unknown form";
  throw new LecternError("INVALID_INPUT", `Cannot use "${join(directory, "cluster.json")}": ${why}`);
}

/** Writes the list, and what follows from it for each server. */
function writeState(directory: string, state: ClusterState): void {
  replaceFile(join(directory, "cluster.json"), `${JSON.stringify(state, null, 2)}\n`);
  const users = usersConfiguration(state.members, state.adminKey);
  for (const { name } of state.servers) replaceFile(join(directory, name, "users.conf"), users);
}

function tokenOf(
  directory: string,
  { servers }: ClusterState,
  { name, role, seed }: Pick<MemberToken, "name" | "role" | "seed">,
): MemberToken {
  const authority = readFileSync(join(directory, "ca.crt"), "utf8");
  return { lectern: "cluster-token-1", name, role, servers: servers.map(serverUrl), authority, seed };
}

const seedOf = (user: { getSeed(): Uint8Array }): string => Buffer.from(user.getSeed()).toString("latin1");

const usage = (why: string): LecternError =>
  new LecternError("USAGE", `Cannot read the servers: ${why}; such as --servers a.example or --servers a,b,c`);
