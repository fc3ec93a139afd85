/** Checks a policy while it is edited: its problems, and what it would have decided in a recorded session. */
import { useEffect, useState } from "react";
import type { OutputOf } from "../../client.ts";
import { daemon, messageOf } from "../api.ts";

export type DryRun = OutputOf<"policy.replay">;
export type ReplayedCall = DryRun["calls"][number];

export interface DryRunState {
  /** The last result; undefined before the first one. */
  readonly run: DryRun | undefined;
  /** The error of the last request. */
  readonly problem: string | undefined;
  /** `run` belongs to an earlier text or session. */
  readonly isStale: boolean;
}

/** Delay after the last key. */
const REST_MS = 250;

const nothing = { calls: [], counts: { allow: 0, ask: 0, deny: 0 }, changed: 0, decidedBy: {}, leftOut: 0 };

async function ask(session: string | undefined, policy: string, signal: AbortSignal): Promise<DryRun> {
  if (session !== undefined) return await daemon().call("policy.replay", { session, policy }, { signal });
  const { ok, problems } = await daemon().call("policy.check", { policy }, { signal });
  return { ...nothing, ok, problems };
}

interface Answered {
  readonly run: DryRun | undefined;
  readonly problem: string | undefined;
  /** The input of the request. */
  readonly session: string | undefined;
  readonly policy: string | undefined;
}

export function useDryRun(session: string | undefined, policy: string): DryRunState {
  const [answered, setAnswered] = useState<Answered>({
    run: undefined,
    problem: undefined,
    session: undefined,
    policy: undefined,
  });
  useEffect(() => {
    const leaving = new AbortController();
    const timer = setTimeout(() => {
      ask(session, policy, leaving.signal).then(
        (run) => setAnswered({ run, problem: undefined, session, policy }),
        (error: unknown) => {
          if (!leaving.signal.aborted) setAnswered({ run: undefined, problem: messageOf(error), session, policy });
        },
      );
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [session, policy]);
  const { run, problem } = answered;
  return { run, problem, isStale: answered.session !== session || answered.policy !== policy };
}
