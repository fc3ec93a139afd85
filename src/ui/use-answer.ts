/** Requests an answer from the daemon while a view is mounted, again after each change of `news`, and until the daemon answers. */
import { useEffect, useRef, useState } from "react";
import { answerTo, messageOf } from "./api.ts";

export interface LoadedAnswer<Value> {
  readonly value: Value | undefined;
  readonly problem: string | undefined;
}

/** `ask` must keep its identity while the request is the same. Another `news` repeats it after the running request. */
export function useAnswer<Value>(ask: (signal: AbortSignal) => Promise<Value>, news = 0): LoadedAnswer<Value> {
  const [state, setState] = useState<LoadedAnswer<Value>>({ value: undefined, problem: undefined });
  const newest = useRef(news);
  const again = useRef<() => void>(undefined);
  useEffect(() => {
    const leaving = new AbortController();
    let isAsking = false;
    let asked = -1;
    const { signal } = leaving;
    const report = (problem: string): void => setState((before) => ({ ...before, problem }));
    const askNewest = (): Promise<Value> => {
      asked = newest.current;
      return ask(signal);
    };
    const run = async (): Promise<void> => {
      if (isAsking) return;
      isAsking = true;
      while (asked !== newest.current && !signal.aborted) {
        try {
          const value = await answerTo(askNewest, { report, signal });
          setState((before) => {
            const isNews = before.problem !== undefined || !isSame(before.value, value);
            return isNews ? { value, problem: undefined } : before;
          });
        } catch (error) {
          if (!signal.aborted) report(messageOf(error));
        }
      }
      isAsking = false;
    };
    again.current = () => void run();
    void run();
    return () => leaving.abort();
  }, [ask]);
  useEffect(() => {
    newest.current = news;
    again.current?.();
  }, [news]);
  return state;
}

const isSame = (first: unknown, second: unknown): boolean => JSON.stringify(first) === JSON.stringify(second);
