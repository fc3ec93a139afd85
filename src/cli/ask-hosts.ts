/** Asks every host at once. One that is away, or slow, costs the others nothing. */
import { LecternClient } from "../client/client.ts";
import { LecternError } from "../core/errors.ts";
import { waits } from "../core/waits.ts";
import { readHosts, type SshHost } from "../machines/hosts-file.ts";
import { SshLink } from "../machines/ssh-link.ts";
import type { InputOf, JsonOperation, OutputOf } from "../protocol/operations.ts";
import { sshTransport } from "../machines/ssh-transport.ts";
import { checkAnswer } from "./check-answer.ts";
import type { CliContext } from "./context.ts";

/** An error may come from there. */
const REASON_CHARS_MAX = 1000;

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

/** An operation, and what it is called with. */
interface Question<Name extends JsonOperation> {
  readonly name: Name;
  readonly input: InputOf<Name>;
}

/** The answers in the order in which they come; each within ten seconds. Nobody is asked for a second factor: several would ask at once. */
export async function* askHosts<Name extends JsonOperation>(
  { paths, signal }: Pick<CliContext, "paths" | "signal">,
  question: Question<Name>,
  { mayConnect = true }: AskOptions = {},
): AsyncGenerator<HostAnswer<OutputOf<Name>>, void, void> {
  // It takes as long as a short command: meanwhile the answers are on their way.
  void import("../protocol/operations.ts");
  const waiting = new Map(
    readHosts(paths.hostsFile).map((host) => {
      const asked = askOne(new SshLink(host, paths.machinesDirectory), question, { mayConnect, signal });
      return [host.name, asked] as const;
    }),
  );
  while (waiting.size > 0) {
    const answer = await Promise.race(waiting.values());
    waiting.delete(answer.host.name);
    yield answer;
  }
}

async function askOne<Name extends JsonOperation>(
  link: SshLink,
  { name, input }: Question<Name>,
  { mayConnect, signal }: { readonly mayConnect: boolean; readonly signal: AbortSignal },
): Promise<HostAnswer<OutputOf<Name>>> {
  const { host } = link;
  const late = AbortSignal.timeout(waits.arrivalMs);
  const both = AbortSignal.any([late, signal]);
  try {
    if (mayConnect) await link.connect({ signal: both });
    else if ((await link.peek(both)) === undefined) return { host, reason: "not connected" };
    const answer = await new LecternClient(sshTransport(link)).call(name, input, { signal: both });
    await checkAnswer(name, answer);
    return { host, answer };
  } catch (error) {
    if (signal.aborted || !(error instanceof LecternError)) throw error;
    if (late.aborted) return { host, reason: `no answer within ${waits.arrivalMs / 1000} s` };
    const { reason } = error.details;
    return { host, reason: (typeof reason === "string" ? reason : error.message).slice(0, REASON_CHARS_MAX) };
  }
}
