/** The time since an event, updated by one timer for all components. */
import { useSyncExternalStore, type ReactElement } from "react";
import { shortDuration } from "./text.ts";

const TICK_MS = 1000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Rendered again only when its text changes. */
export function Ago({ sinceMs }: { readonly sinceMs: number }): ReactElement {
  const text = useSyncExternalStore(subscribe, () => shortDuration(now - sinceMs));
  return <time dateTime={new Date(sinceMs).toISOString()}>{text}</time>;
}
