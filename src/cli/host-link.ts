/** The host that a command names, and the way there. */
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
  const next = hint ?? `add it: lectern hosts add ${name} user@machine`;
  throw new LecternError("MACHINE_NOT_FOUND", `Cannot find host "${name}": ${next}`, { details: { host: name } });
}

/** A person at this terminal may be asked for a second factor; ssh asks on the terminal itself, whatever is redirected. */
const hasPerson = (): boolean => process.stdin.isTTY && process.stderr.isTTY;

/** As `hostNamed` and `connectTo`. The host is among the details of each error, for what stands in the way is here. */
export async function reachNamed(
  name: string,
  paths: LecternPaths,
  options: Parameters<typeof connectTo>[1],
): ReturnType<typeof connectTo> {
  try {
    return await connectTo(hostNamed(name, paths), options);
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
