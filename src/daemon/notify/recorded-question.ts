/** What the views of a session have recorded of a question on its screen. Questions that the gateway holds are in no view. */
import type { Approval } from "../../core/dialogs/approval.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { SessionViews } from "../views/session-views.ts";
import type { ShownQuestion } from "../store/notify-schema.ts";

/** Questions of a session that are searched. */
const APPROVALS_MAX = 200;

/** As it was recorded last; undefined if it never was. */
export async function recordedQuestion(
  { store }: Pick<SessionViews, "store">,
  { id, session }: { readonly session: string; readonly id: string },
): Promise<Approval | undefined> {
  const query = { session, from: 0, kinds: ["approval"] } as const;
  const changes = await store.list({ ...query, last: APPROVALS_MAX, changesMax: APPROVALS_MAX });
  const found = changes.findLast((change) => change.kind === "approval" && change.approval.id === id);
  return found?.kind === "approval" ? found.approval : undefined;
}

/** Whether a question that an earlier daemon has sent is known to have ended. It may not be listed yet, though it still waits. */
export async function hasEnded(
  { isRecorded, question, session }: ShownQuestion,
  { entry, views }: { readonly entry: SessionEntry | undefined; readonly views: SessionViews },
): Promise<boolean> {
  if (entry?.live !== true || !isRecorded) return true;
  // All that is in its journal: it may have ended while no daemon was there.
  await views.use(entry, async (opened) => {
    if (!opened.view.status.isFlooded) await opened.complete();
  });
  const recorded = await recordedQuestion(views, { session, id: question });
  return recorded?.state === "answered" || recorded?.state === "gone";
}
