/** An answer of the daemon that is asked for again and again while a view is open. */
import { useEffect, useState } from "react";
import { messageOf } from "./api.ts";

export interface Polled<Value> {
  readonly value: Value | undefined;
  readonly problem: string | undefined;
}

/** `ask` must keep its identity while the question is the same; without `everyMs` it asks once. */
export function usePolled<Value>(ask: (signal: AbortSignal) => Promise<Value>, everyMs?: number): Polled<Value> {
  const [state, setState] = useState<Polled<Value>>({ value: undefined, problem: undefined });
  useEffect(() => {
    const leaving = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const next = (): void => {
      if (everyMs !== undefined && !leaving.signal.aborted) timer = setTimeout(run, everyMs);
    };
    const run = (): void => {
      ask(leaving.signal)
        .then(
          (value) => setState((before) => (isSame(before.value, value) ? before : { value, problem: undefined })),
          (error: unknown) => {
            if (!leaving.signal.aborted) setState((before) => ({ ...before, problem: messageOf(error) }));
          },
        )
        .finally(next);
    };
    run();
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [ask, everyMs]);
  return state;
}

const isSame = (first: unknown, second: unknown): boolean => JSON.stringify(first) === JSON.stringify(second);
