/** What this browser may do: everything, only read, or only read one session over a share link. */
import type { ReaderAccess } from "../../protocol/views.ts";
import { jsonValueOf } from "../../core/json/json-value.ts";
import { ValueStore } from "../store.ts";

/** Remembered, so that a shared page does not first look like the whole one. The daemon decides about each request anyway. */
const ACCESS_KEY = "lectern-access";

const whole: ReaderAccess = { scope: "admin", session: null };

export const access = new ValueStore<ReaderAccess>(remembered());

/** Whether the page may type, answer and change. */
export const canAct = ({ scope }: ReaderAccess): boolean => scope !== "read";

export function learnAccess(now: ReaderAccess): void {
  const before = access.get();
  if (before.scope === now.scope && before.session === now.session) return;
  localStorage.setItem(ACCESS_KEY, JSON.stringify(now));
  access.set(now);
}

function remembered(): ReaderAccess {
  // Tests of pure parts have no storage.
  const known = jsonValueOf(globalThis.localStorage?.getItem(ACCESS_KEY) ?? "null");
  const isKnown = typeof known === "object" && known !== null && "scope" in known && "session" in known;
  return isKnown ? (known as ReaderAccess) : whole;
}
