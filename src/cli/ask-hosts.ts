/** Asks every host at once. One that is away, or slow, costs the others nothing. */
import { machineTransport } from "../client/machine-transport.ts";
import type { Transport } from "../client/transport.ts";
import { LecternClient } from "../client/client.ts";
import { LecternError } from "../core/errors.ts";
import { waits } from "../core/waits.ts";
import { readHosts, type SshHost } from "../machines/hosts-file.ts";
import { SshLink } from "../machines/ssh-link.ts";
import type { InputOf, JsonOperation, OutputOf } from "../protocol/operations.ts";
import { sshTransport } from "../machines/ssh-transport.ts";
import { checkAnswer } from "./check-answer.ts";
import { clusterMachines } from "./machine-names.ts";
import type { CliContext } from "./context.ts";

/** An error may come from there. */
const REASON_CHARS_MAX = 1000;

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

interface Question<Name extends JsonOperation> {
  readonly name: Name;
  readonly input: InputOf<Name>;
}

/**
 * Also the machines of a cluster, which the daemon here reaches. The answers in the order in which they come; each within ten seconds. Nobody is
 * asked for a second factor: several would ask at once.
 */
export async function* askHosts<Name extends JsonOperation>(
  context: Pick<CliContext, "paths" | "runningClient" | "signal" | "transport">,
  question: Question<Name>,
  { mayConnect = true }: AskOptions = {},
): AsyncGenerator<HostAnswer<OutputOf<Name>>, void, void> {
  const { paths, signal } = context;
  // It takes as long as a short command: meanwhile the answers are on their way.
  void import("../protocol/operations.ts");
  const hosts = readHosts(paths.hostsFile).map((host) => new SshLink(host, paths.machinesDirectory));
  const names = new Set(hosts.map(({ host }) => host.name));
  const members = (await clusterMachines(context)).filter((name) => !names.has(name));
  const here = members.length === 0 ? undefined : await context.transport();
  const ways = [
    ...hosts.map((link) => wayOver(link, mayConnect)),
    ...members.flatMap((name) => (here === undefined ? [] : wayThrough(here, name))),
  ];
  const waiting = new Map(ways.map((way) => [way.host.name, askOne(way, question, signal)]));
  while (waiting.size > 0) {
    const answer = await Promise.race(waiting.values());
    waiting.delete(answer.host.name);
    yield answer;
  }
}

/** A machine, and how it is reached. */
interface Way {
  readonly host: Pick<SshHost, "name">;
  /** Resolves with undefined if it may not connect. */
  readonly open: (signal: AbortSignal) => Promise<Transport | undefined>;
}

const wayOver = (link: SshLink, mayConnect: boolean): Way => ({
  host: link.host,
  open: async (signal) => {
    if (mayConnect) await link.connect({ signal });
    else if ((await link.peek(signal)) === undefined) return undefined;
    return sshTransport(link);
  },
});

const wayThrough = (here: Transport, name: string): Way => ({
  host: { name },
  open: async () => machineTransport(here, name),
});

async function askOne<Name extends JsonOperation>(
  { host, open }: Way,
  { name, input }: Question<Name>,
  signal: AbortSignal,
): Promise<HostAnswer<OutputOf<Name>>> {
  const late = AbortSignal.timeout(waits.arrivalMs);
  const both = AbortSignal.any([late, signal]);
  try {
    const transport = await open(both);
    if (transport === undefined) return { host, reason: "not connected" };
    const answer = await new LecternClient(transport).call(name, input, { signal: both });
    await checkAnswer(name, answer);
    return { host, answer };
  } catch (error) {
    if (signal.aborted || !(error instanceof LecternError)) throw error;
    if (late.aborted) return { host, reason: `no answer within ${waits.arrivalMs / 1000} s` };
    const { reason } = error.details;
    return { host, reason: (typeof reason === "string" ? reason : error.message).slice(0, REASON_CHARS_MAX) };
  }
}
