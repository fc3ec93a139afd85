/** Runs jobs, several at a time, in their order where their stages allow it. */
import type { Job, Stage } from "./jobs.ts";

export interface PoolOptions {
  /** Jobs that run at the same time take at most so many slots. */
  readonly slots: number;
  /** Runs one job, in one of the places `0` to `slots - 1`, which no other has at that time. Must not reject. */
  readonly run: (job: Job, place: number) => Promise<void>;
  /** No further job begins once it is aborted. */
  readonly signal: AbortSignal;
}

/** Resolves when every job has ended. */
export async function runPool(stages: readonly Stage[], { run, signal, slots }: PoolOptions): Promise<void> {
  const waiting = stages.flatMap(({ jobs }) => jobs);
  const running = new Map<Promise<void>, { readonly job: Job; readonly place: number }>();
  const byName = new Map(stages.map((stage) => [stage.name, stage]));
  const of = (name: string): Job[] => [...running.values()].map(({ job }) => job).filter(({ stage }) => stage === name);
  const isOver = (name: string): boolean => of(name).length === 0 && !waiting.some(({ stage }) => stage === name);
  const used = (): number => [...running.values()].reduce((sum, { job }) => sum + job.slots, 0);

  const mayBegin = (job: Job): boolean => {
    const { after = [], atOnce = slots } = byName.get(job.stage) ?? {};
    if (after.some((name) => byName.has(name) && !isOver(name))) return false;
    return of(job.stage).length < atOnce && used() + Math.min(job.slots, slots) <= slots;
  };

  const begin = (job: Job): void => {
    const taken = new Set([...running.values()].map(({ place }) => place));
    const place = Array.from({ length: slots }, (_, at) => at).find((at) => !taken.has(at)) ?? 0;
    const ended = run(job, place).finally(() => running.delete(ended));
    running.set(ended, { job, place });
  };

  for (;;) {
    for (let at = 0; at < waiting.length && !signal.aborted;) {
      const [job] = waiting.slice(at, at + 1);
      if (job === undefined || !mayBegin(job)) at += 1;
      else {
        waiting.splice(at, 1);
        begin(job);
      }
    }
    if (running.size === 0) return;
    await Promise.race(running.keys());
  }
}
