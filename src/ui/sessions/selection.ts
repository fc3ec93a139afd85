/** The sessions that are selected in the list, to act on all of them at once. */
import { ValueStore } from "../store.ts";

export interface SelectedSessions {
  /** Whether rows can be selected. */
  readonly isOn: boolean;
  /** Ids. */
  readonly ids: ReadonlySet<string>;
  /** The row that was selected last: a range begins there. */
  readonly last: string | undefined;
}

const nothing: SelectedSessions = { isOn: false, ids: new Set(), last: undefined };

export const selection = new ValueStore<SelectedSessions>(nothing);

export const endSelection = (): void => selection.set(nothing);
export const selectOnly = (ids: readonly string[]): void =>
  selection.set({ ...nothing, isOn: true, ids: new Set(ids) });
export const beginSelection = (): void => selection.set({ ...nothing, isOn: true });

/** Selects the session or the opposite; with `shown` (all ids in their order) everything from the row that was selected last. */
export function toggled(before: SelectedSessions, id: string, shown: readonly string[] = []): SelectedSessions {
  const ids = new Set(before.ids);
  const from = before.last === undefined ? -1 : shown.indexOf(before.last);
  const to = shown.indexOf(id);
  if (from !== -1 && to !== -1) {
    for (const each of shown.slice(Math.min(from, to), Math.max(from, to) + 1)) ids.add(each);
  } else if (!ids.delete(id)) ids.add(id);
  return { isOn: true, ids, last: id };
}

/** Selects all that are shown, or none if all are selected. */
export function toggledAll(before: SelectedSessions, shown: readonly string[]): SelectedSessions {
  const isAll = shown.length > 0 && shown.every((id) => before.ids.has(id));
  return { isOn: true, ids: isAll ? new Set() : new Set(shown), last: undefined };
}
