/** The daemon's own logs of all sessions: of tool calls and of what the views report. A damaged one is rebuilt or disabled. */
import { AuditStore } from "./audit/audit-store.ts";
import type { LecternPaths } from "./paths.ts";
import type { Store } from "./store/store.ts";
import { ViewStore, type ViewStoreOptions } from "./store/view-store.ts";

export interface DaemonLogs {
  readonly audit: AuditStore;
  readonly viewStore: ViewStore;
  /** At least the number of all questions so far: a rebuilt registry continues from here, so that no id is reused. */
  readonly questionsBefore: number;
}

/** Each is closed with `parts`. */
export async function openLogs(
  paths: LecternPaths,
  {
    store: { thread },
    ...others
  }: Omit<ViewStoreOptions, "databaseFile" | "thread"> & { readonly store: Pick<Store, "thread"> },
  parts: AsyncDisposableStack,
): Promise<DaemonLogs> {
  // In two threads, side by side.
  const openingViews = ViewStore.open({ ...others, databaseFile: paths.viewsFile, thread });
  openingViews.catch(() => undefined);
  const { audit, problem } = await AuditStore.openOrRefuse(paths.auditDirectory);
  parts.use(audit);
  if (problem !== null) others.problems.set("audit log", `${problem}; tool calls that need it are refused`);
  const viewStore = parts.adopt(await openingViews, async (opened) => await opened.close());
  return { audit, viewStore, questionsBefore: await rowsOf(audit) };
}

/** Each question has a row of its own in the audit log. */
async function rowsOf(audit: AuditStore): Promise<number> {
  try {
    return (await audit.list({ session: undefined, from: undefined, limit: 1 })).end;
  } catch {
    // Its calls are refused, and no question is asked.
    return 0;
  }
}
