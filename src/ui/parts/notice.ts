/** Short messages about actions, shown for a few seconds and announced to screen readers. */
import { ValueStore } from "../store.ts";

export interface PageNotice {
  readonly id: number;
  readonly kind: "done" | "problem";
  readonly text: string;
}

const SHOWN_MS = 6000;
const NOTICES_MAX = 4;

export const notices = new ValueStore<readonly PageNotice[]>([]);

let lastId = 0;

export function notify(text: string, kind: PageNotice["kind"] = "done"): void {
  const id = (lastId += 1);
  notices.set([...notices.get(), { id, kind, text }].slice(-NOTICES_MAX));
  setTimeout(() => dismissNotice(id), SHOWN_MS);
}

export const dismissNotice = (id: number): void => notices.set(notices.get().filter((notice) => notice.id !== id));
