/** One action on several sessions: each of them gets it, whatever becomes of the others. */
import type { Session } from "../../client.ts";
import { daemon, messageOf } from "../api.ts";
import { notify } from "../parts/notice.ts";
import { forgetSession } from "./session-list.ts";

/** Requests at the same time. A browser has six connections for all of its tabs. */
const AT_ONCE_MAX = 3;
const KEY_BYTES = 12;

export type BulkKind = "end" | "remove" | "label" | "prompt";

interface BulkAction {
  /** As in "Ended 3 sessions". */
  readonly done: string;
  readonly run: (session: Session) => Promise<unknown>;
}

export const endAll: BulkAction = {
  done: "Ended",
  run: ({ id }) => daemon().call("sessions.kill", { session: id }),
};

export const removeAll: BulkAction = {
  done: "Removed",
  run: async ({ id }) => {
    await daemon().call("sessions.remove", { session: id });
    forgetSession(id);
  },
};

export const labelAll = (labels: Readonly<Record<string, string | null>>): BulkAction => ({
  done: "Labelled",
  run: ({ id }) => daemon().call("sessions.update", { session: id, labels }),
});

/** The same prompt for each; one that asks a question refuses it. */
export const promptAll = (text: string): BulkAction => ({
  done: "Sent the prompt to",
  run: ({ id, status }) =>
    daemon().call("sessions.prompt", { session: id, text, key: newKey(), shell: (status?.agent ?? null) === null }),
});

/** Acts on all and shows one notice, with the first reason if some refused. Resolves with the sessions that refused. */
export async function actOnAll(sessions: readonly Session[], { done, run }: BulkAction): Promise<readonly Session[]> {
  const waiting = [...sessions];
  const refused: { readonly session: Session; readonly reason: string }[] = [];
  const work = async (): Promise<void> => {
    for (let session = waiting.shift(); session !== undefined; session = waiting.shift()) {
      try {
        await run(session);
      } catch (error) {
        refused.push({ session, reason: messageOf(error) });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE_MAX }, work));
  const [first] = refused;
  const count = sessions.length - refused.length;
  if (first === undefined) notify(`${done} ${counted(count)}`);
  else notify(`${done} ${count} of ${counted(sessions.length)}. ${first.session.name}: ${first.reason}`, "problem");
  return refused.map(({ session }) => session);
}

/** `1 session`, `3 sessions`. */
export const counted = (count: number): string => `${count} ${count === 1 ? "session" : "sessions"}`;

/** Not `randomUUID`, which browsers provide only on secure pages. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return `page-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
