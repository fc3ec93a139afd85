/** `lectern cluster init`, `add`, `remove` and `prepare`: where the servers of a cluster are administered. */
import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { LecternError } from "../../../core/errors.ts";
import { waits } from "../../../core/waits.ts";
import {
  addMember,
  createClusterDirectory,
  machinesOf,
  readServers,
  removeMember,
  SERVER_DIRECTORY,
  serversOf,
} from "../daemon/cluster-directory.ts";
import { readTokenFile } from "../daemon/member-token.ts";
import type { MemberRole } from "../daemon/permissions.ts";
import { prepareCluster, reloadServers, removeRow } from "../daemon/prepare.ts";
import type { ServerFeatures } from "../daemon/server-files.ts";
import type { CliContext } from "../../../cli/context.ts";

const VERSION_MS_MAX = 5000;

export async function init(
  { servers: text, out }: { readonly servers: string | undefined; readonly out: string },
  context: CliContext,
): Promise<void> {
  if (text === undefined)
    throw new LecternError("USAGE", "Cannot make a cluster without servers: give --servers HOST, or three of them");
  const servers = readServers(text);
  const directory = resolve(context.workingDirectory, out);
  await createClusterDirectory(directory, { servers, features: await installedFeatures() });
  const lines = [
    `Wrote ${out}: keys, certificates and the configuration of ${servers.map(({ name }) => name).join(", ")}. Next:`,
    ...servers.map(
      ({ name, host }) => `  copy ${join(out, name)} to ${host}:${SERVER_DIRECTORY}, owner nats, and start it there:`,
    ),
    `    systemctl enable --now ${SERVER_DIRECTORY}/lectern-nats.service`,
    "    (or, in the directory itself: nats-server -c server.conf)",
    `  lectern cluster prepare --out ${out}`,
    `  lectern cluster add NAME --out ${out}, for each machine; then on that machine:`,
    "    lectern cluster join NAME.token",
  ];
  for (const line of lines) await context.print(line);
}

export async function add(
  name: string,
  { out, role }: { readonly out: string; readonly role: MemberRole },
  context: CliContext,
): Promise<void> {
  const directory = resolve(context.workingDirectory, out);
  addMember(directory, { name, role });
  await context.print(`Wrote ${join(out, `${name}.token`)}, the key of the ${role} "${name}". Next:`);
  await printReload(directory, out, context);
  if (role !== "viewer") await prepareAdded(name, { directory, out }, context);
  await context.print(
    `  move ${name}.token to that machine, keep its mode 0600, and run there: lectern cluster join ${name}.token`,
  );
}

/** Makes the space for its history, if the servers run already. */
async function prepareAdded(
  name: string,
  { directory, out }: { readonly directory: string; readonly out: string },
  context: CliContext,
): Promise<void> {
  try {
    await prepareCluster(readTokenFile(join(directory, "admin.token")), [name]);
  } catch {
    await context.print(
      `  lectern cluster prepare --out ${out}, when the servers run: before, its history is not kept`,
    );
  }
}

export async function remove(name: string, out: string, context: CliContext): Promise<void> {
  const directory = resolve(context.workingDirectory, out);
  removeMember(directory, name);
  await context.print(`Removed the member "${name}". Next:`);
  await printReload(directory, out, context);
  const admin = readTokenFile(join(directory, "admin.token"));
  // The last row of the member was sent by then.
  await delay(waits.activityMs);
  await removeRow(admin, name).catch((error: unknown) => {
    context.note(
      `Its row stays in the list of machines until "lectern cluster remove" reaches the servers: ${(error as Error).message}`,
    );
  });
}

export async function prepare(out: string, context: CliContext): Promise<void> {
  const directory = resolve(context.workingDirectory, out);
  const servers = serversOf(directory);
  await prepareCluster(readTokenFile(join(directory, "admin.token")), machinesOf(directory));
  await context.print(`The buckets are ready on ${servers.map(({ name }) => name).join(", ")}`);
}

async function printReload(directory: string, out: string, context: CliContext): Promise<void> {
  const { elsewhere, reloaded } = reloadServers(directory);
  if (reloaded.length > 0) await context.print(`  (${reloaded.join(", ")} reloaded)`);
  for (const name of elsewhere) {
    const file = join(out, name, "users.conf");
    await context.print(
      `  copy ${file} to ${SERVER_DIRECTORY} on ${name}, and run there: systemctl reload lectern-nats`,
    );
  }
}

/** Of the server that is installed here, as those of a cluster are usually of one version. */
async function installedFeatures(): Promise<ServerFeatures> {
  const { stdout } = await promisify(execFile)("nats-server", ["--version"], { timeout: VERSION_MS_MAX }).catch(() => ({
    stdout: "",
  }));
  const [, major = "0", minor = "0"] = /v(\d+)\.(\d+)/.exec(stdout) ?? [];
  return { syncInterval: Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 10) };
}
