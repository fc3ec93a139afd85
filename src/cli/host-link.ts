/** The host that a command names, and the way there. */
import { isatty } from "node:tty";
import { existsSync } from "node:fs";
import { machineTransport } from "../client/machine-transport.ts";
import type { Transport } from "../client/transport.ts";
import { LecternError } from "../core/errors.ts";
import { didYouMean } from "../core/text/nearest.ts";
import type { LecternPaths } from "../daemon/paths.ts";
import { readHosts } from "../machines/hosts-file.ts";
import { SshLink } from "../machines/ssh-link.ts";
import { sshTransport } from "../machines/ssh-transport.ts";

/** Throws `MACHINE_NOT_FOUND`. */
export function hostNamed(name: string, { hostsFile, machinesDirectory }: LecternPaths): SshLink {
  const hosts = readHosts(hostsFile);
  const host = hosts.find((each) => each.name === name);
  if (host !== undefined) return new SshLink(host, machinesDirectory);
  const hint = didYouMean(
    name,
    hosts.map((each) => each.name),
  );
  const next = hint ?? `see "lectern hosts ls", or add it: lectern hosts add ${name} user@machine`;
  throw new LecternError("MACHINE_NOT_FOUND", `Cannot find host "${name}": ${next}`, { details: { host: name } });
}

const isHost = (name: string, { hostsFile }: LecternPaths): boolean =>
  readHosts(hostsFile).some((each) => each.name === name);

interface ReachOptions {
  readonly paths: LecternPaths;
  readonly signal: AbortSignal;
  readonly mayAsk: boolean;
  readonly daemon: () => Promise<Transport>;
}

/** A person at this terminal may be asked for a second factor; ssh asks on the terminal itself, whatever is redirected. */
const hasPerson = (): boolean => isatty(0) && isatty(2);

/**
 * The way to a host or, in a cluster, to one of its machines, which the daemon here reaches. Rejects as `hostNamed` and `connectTo`; the host is
 * among the details of each error, for what stands in the way is here.
 */
export async function reachNamed(name: string, { daemon, mayAsk, paths, signal }: ReachOptions): Promise<Transport> {
  try {
    const isOfCluster = !isHost(name, paths) && existsSync(paths.clusterFile);
    if (isOfCluster) return machineTransport(await daemon(), name);
    return (await connectTo(hostNamed(name, paths), { signal, mayAsk })).transport;
  } catch (error) {
    if (!(error instanceof LecternError) || error.details["host"] === name) throw error;
    const { code, details, message } = error;
    throw new LecternError(code, message, { details: { ...details, host: name }, cause: error });
  }
}

/** `mayAsk`: if a person is at this terminal. Rejects as `SshLink.connect` does. */
export async function connectTo(
  link: SshLink,
  { mayAsk = true, signal }: { readonly mayAsk?: boolean; readonly signal: AbortSignal },
): Promise<{ readonly transport: Transport; readonly version: string }> {
  const { version } = await link.connect({ mayAsk: mayAsk && hasPerson(), signal });
  return { transport: sshTransport(link), version };
}
