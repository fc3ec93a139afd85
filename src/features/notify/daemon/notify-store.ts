import type { DaemonProblems } from "../../../daemon/problems.ts";
import type { NotifyRows } from "../../../daemon/store/notify-rows.ts";
import type { Remote } from "../../../daemon/store/served-thread.ts";
import type { StoreThread } from "../../../daemon/store/store-thread.ts";

export type NotifyStore = Remote<NotifyRows>;

/** On a disk that is full the contents are in memory only, which is a problem of the daemon. */
export async function openNotifyStore(
  thread: StoreThread,
  databaseFile: string,
  problems: DaemonProblems,
): Promise<NotifyStore> {
  const store = await thread.open("notify", databaseFile, { name: "the outbox of notices" });
  const { damage, restriction } = await store.opening();
  if (damage !== null)
    problems.note(
      `"${databaseFile}" was damaged (${damage}) and is kept as "${databaseFile}.damaged": the outbox is empty`,
    );
  if (restriction !== null) {
    const next = "a notice may be sent twice after a restart; make room, then restart the daemon";
    problems.set("outbox", `Cannot write "${databaseFile}": ${restriction}; ${next}`);
  }
  return store;
}
