/** Asks every host at once. One that is away, or slow, costs the others nothing. */
import { machineTransport } from "../client/machine-transport.ts";
import type { Transport } from "../client/transport.ts";
import { LecternClient } from "../client/client.ts";
import { LecternError } from "../core/errors.ts";
import { waits } from "../core/waits.ts";
import { readHosts, type SshHost } from "../machines/hosts-file.ts";
import { SshLink } from "../machines/ssh-link.ts";
import { sshTransport } from "../machines/ssh-transport.ts";
import { clusterMachines } from "./cluster/machine-names.ts";
import type { CliContext } from "./context.ts";

/** What one host said, or why it said nothing. */
export interface HostAnswer<Answer> {
  readonly host: Pick<SshHost, "name">;
  readonly answer?: Answer;
  /** One line for people; undefined with an answer. */
  readonly reason?: string;
}

interface AskOptions {
  /** False: only over connections that are open. Default true. */
  readonly mayConnect?: boolean;
}

/** Also the machines of a cluster, which the daemon here reaches. The answers in the order in which they come; each within ten seconds. Nobody is asked for a second factor: several would ask at once. */
export async function* askHosts<Answer>(
  context: Pick<CliContext, "paths" | "runningClient" | "signal" | "transport">,
  ask: (client: LecternClient, signal: AbortSignal) => Promise<Answer>,
  { mayConnect = true }: AskOptions = {},
): AsyncGenerator<HostAnswer<Answer>, void, void> {
  const { paths, signal } = context;
  const hosts = readHosts(paths.hostsFile).map((host) => new SshLink(host, paths.machinesDirectory));
  const names = new Set(hosts.map(({ host }) => host.name));
  const members = (await clusterMachines(context)).filter((name) => !names.has(name));
  const here = members.length === 0 ? undefined : await context.transport();
  const asked = [
    ...hosts.map((link) => askOne(wayOver(link, mayConnect), ask, signal)),
    ...members.flatMap((name) => (here === undefined ? [] : askOne(wayThrough(here, name), ask, signal))),
  ];
  const waiting = new Map(asked.map(({ name, answer }) => [name, answer]));
  while (waiting.size > 0) {
    const answer = await Promise.race(waiting.values());
    waiting.delete(answer.host.name);
    yield answer;
  }
}

/** A machine, and how it is reached. */
interface Way {
  readonly name: string;
  /** Resolves with undefined if it may not connect. */
  readonly open: (signal: AbortSignal) => Promise<Transport | undefined>;
}

const wayOver = (link: SshLink, mayConnect: boolean): Way => ({
  name: link.host.name,
  open: async (signal) => {
    if (mayConnect) await link.connect({ signal });
    else if ((await link.peek(signal)) === undefined) return undefined;
    return sshTransport(link);
  },
});

const wayThrough = (here: Transport, name: string): Way => ({ name, open: async () => machineTransport(here, name) });

function askOne<Answer>(
  way: Way,
  ask: (client: LecternClient, signal: AbortSignal) => Promise<Answer>,
  signal: AbortSignal,
): { readonly name: string; readonly answer: Promise<HostAnswer<Answer>> } {
  const host = { name: way.name };
  const late = AbortSignal.timeout(waits.arrivalMs);
  const both = AbortSignal.any([late, signal]);
  const answer = async (): Promise<HostAnswer<Answer>> => {
    try {
      const transport = await way.open(both);
      if (transport === undefined) return { host, reason: "not connected" };
      return { host, answer: await ask(new LecternClient(transport), both) };
    } catch (error) {
      if (signal.aborted || !(error instanceof LecternError)) throw error;
      if (late.aborted) return { host, reason: `no answer within ${waits.arrivalMs / 1000} s` };
      const { reason } = error.details;
      return { host, reason: typeof reason === "string" ? reason : error.message };
    }
  };
  return { name: way.name, answer: answer() };
}
