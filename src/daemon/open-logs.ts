/** The daemon's own logs of all sessions: of tool calls and of what the views report. A damaged one is made again or done without. */
import { AuditStore } from "./audit/audit-store.ts";
import type { LecternPaths } from "./paths.ts";
import type { DaemonProblems } from "./problems.ts";
import { ViewStore } from "./store/view-store.ts";

export interface DaemonLogs {
  readonly audit: AuditStore;
  readonly viewStore: ViewStore;
  /** At least as many as were ever asked: a registry that was made anew counts on from here, so that no id comes again. */
  readonly questionsBefore: number;
}

/** Each is closed with `parts`. */
export async function openLogs(
  paths: LecternPaths,
  { onError, problems }: { readonly onError: (error: unknown) => void; readonly problems: DaemonProblems },
  parts: AsyncDisposableStack,
): Promise<DaemonLogs> {
  const { audit, problem } = await AuditStore.openOrRefuse(paths.auditDirectory);
  parts.use(audit);
  if (problem !== null) problems.set("audit log", `${problem}; tool calls that need it are refused`);
  const viewStore = parts.adopt(
    await ViewStore.open(paths.viewsFile, { onError, problems }),
    async (opened) => await opened.close(),
  );
  return { audit, viewStore, questionsBefore: await rowsOf(audit) };
}

/** Each question has a row of its own in the audit log. */
async function rowsOf(audit: AuditStore): Promise<number> {
  try {
    return (await audit.list({ session: undefined, from: undefined, limit: 1 })).end;
  } catch {
    // Its calls are refused, and nobody is asked.
    return 0;
  }
}
