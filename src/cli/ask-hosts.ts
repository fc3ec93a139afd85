/** Asks every host at once. One that is away, or slow, costs the others nothing. */
import { LecternClient } from "../client/client.ts";
import { LecternError } from "../core/errors.ts";
import { waits } from "../core/waits.ts";
import { readHosts, type SshHost } from "../machines/hosts-file.ts";
import { SshLink } from "../machines/ssh-link.ts";
import { sshTransport } from "../machines/ssh-transport.ts";
import type { CliContext } from "./context.ts";

/** What one host said, or why it said nothing. */
export interface HostAnswer<Answer> {
  readonly host: SshHost;
  readonly answer?: Answer;
  /** One line for people; undefined with an answer. */
  readonly reason?: string;
}

interface AskOptions {
  /** False: only over connections that are open. Default true. */
  readonly mayConnect?: boolean;
}

/** The answers in the order in which they come; each within ten seconds. Nobody is asked for a second factor: several would ask at once. */
export async function* askHosts<Answer>(
  { paths, signal }: Pick<CliContext, "paths" | "signal">,
  ask: (client: LecternClient, signal: AbortSignal) => Promise<Answer>,
  { mayConnect = true }: AskOptions = {},
): AsyncGenerator<HostAnswer<Answer>, void, void> {
  const waiting = new Map(
    readHosts(paths.hostsFile).map((host) => {
      const asked = askOne(new SshLink(host, paths.machinesDirectory), ask, { mayConnect, signal });
      return [host.name, asked] as const;
    }),
  );
  while (waiting.size > 0) {
    const answer = await Promise.race(waiting.values());
    waiting.delete(answer.host.name);
    yield answer;
  }
}

async function askOne<Answer>(
  link: SshLink,
  ask: (client: LecternClient, signal: AbortSignal) => Promise<Answer>,
  { mayConnect, signal }: { readonly mayConnect: boolean; readonly signal: AbortSignal },
): Promise<HostAnswer<Answer>> {
  const { host } = link;
  const late = AbortSignal.timeout(waits.arrivalMs);
  const both = AbortSignal.any([late, signal]);
  try {
    if (mayConnect) await link.connect({ signal: both });
    else if ((await link.peek(both)) === undefined) return { host, reason: "not connected" };
    return { host, answer: await ask(new LecternClient(sshTransport(link)), both) };
  } catch (error) {
    if (signal.aborted || !(error instanceof LecternError)) throw error;
    if (late.aborted) return { host, reason: `no answer within ${waits.arrivalMs / 1000} s` };
    const { reason } = error.details;
    return { host, reason: typeof reason === "string" ? reason : error.message };
  }
}
