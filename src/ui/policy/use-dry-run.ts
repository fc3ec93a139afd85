/** Checks a policy while it is edited: its problems, and what it would have decided in a recorded session. */
import { useCallback } from "react";
import type { OutputOf } from "../../client.ts";
import { delay } from "../../client/reconnect.ts";
import { daemon } from "../api.ts";
import { useAnswer } from "../use-answer.ts";

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

export function useDryRun(session: string | undefined, policy: string): DryRunState {
  const askRested = useCallback(
    async (signal: AbortSignal) => {
      await delay(REST_MS, signal);
      return { run: await ask(session, policy, signal), session, policy };
    },
    [session, policy],
  );
  const { value, problem } = useAnswer(askRested);
  const isStale = problem === undefined && (value?.session !== session || value?.policy !== policy);
  return { run: value?.run, problem, isStale };
}
