/** Keyboard shortcuts of the page. In terminals and fields only those with Alt or Ctrl; in a terminal, Ctrl-K goes to the program. */
import { openDialog } from "../sessions/dialogs.ts";
import { navigate, sessionPath } from "../router.ts";
import { groupSessions } from "../sessions/attention.ts";
import { beginSelection, endSelection, selection, toggled } from "../sessions/selection.ts";
import { sessionList } from "../sessions/session-list.ts";

export interface Shortcut {
  readonly keys: string;
  readonly does: string;
}

/** As shown in the palette. */
export const shortcuts: readonly Shortcut[] = [
  { keys: "Ctrl K", does: "Command palette (in a terminal: Alt K)" },
  { keys: "Alt N", does: "New session" },
  { keys: "Alt J", does: "Next session that needs you" },
  { keys: "/", does: "Filter or search" },
  { keys: "X", does: "Select the session in the list; with Shift, all up to it" },
  { keys: "Ctrl Shift F", does: "Find in the terminal" },
  { keys: "Ctrl Shift C", does: "Copy from the terminal" },
  { keys: "Ctrl Shift Home", does: "Oldest output of the terminal" },
];

const isInTerminal = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest(".terminal-host") !== null;

const isInField = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]") !== null;

export function onShortcut(event: KeyboardEvent): void {
  const action = actionOf(event);
  if (action === undefined) return;
  event.preventDefault();
  action();
}

function actionOf(event: KeyboardEvent): (() => void) | undefined {
  const { altKey, ctrlKey, metaKey, shiftKey, code, key, target } = event;
  const isPalette =
    (ctrlKey || metaKey) && !shiftKey && !altKey && code === "KeyK" && (metaKey || !isInTerminal(target));
  if (isPalette || (altKey && !ctrlKey && code === "KeyK")) return () => openDialog.set({ kind: "palette" });
  if (altKey && !ctrlKey && code === "KeyN") return () => openDialog.set({ kind: "new" });
  if (altKey && !ctrlKey && code === "KeyJ") return goToNextBlocked;
  if (key === "Escape" && selection.get().isOn && document.querySelector(":modal, :popover-open") === null) {
    return endSelection;
  }
  if (code === "KeyX" && !altKey && !ctrlKey && !metaKey && !isInTerminal(target) && !isInField(target)) {
    return selectFocused(target, shiftKey);
  }
  if (key === "/" && !isInTerminal(target) && !isInField(target)) {
    return () => document.querySelector<HTMLElement>('[data-shortcut="/"]')?.focus();
  }
  return undefined;
}

/** Goes to the next session that needs a person, in the order of the list. */
function goToNextBlocked(): void {
  const needy = groupSessions(sessionList.get().views).find(({ key }) => key === "needs")?.views ?? [];
  const paths = needy.map(({ session }) => sessionPath(session.name));
  const at = paths.findIndex((path) => location.pathname.startsWith(path));
  const next = paths[(at + 1) % Math.max(1, paths.length)];
  if (next !== undefined) navigate(next);
}

/** Selects the session of the row that has the focus. Undefined outside of the list. */
function selectFocused(target: EventTarget | null, isRange: boolean): (() => void) | undefined {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-session]")];
  if (rows.length === 0) return undefined;
  const id = target instanceof Element ? target.closest<HTMLElement>("[data-session]")?.dataset["session"] : undefined;
  if (id === undefined) return beginSelection;
  const shown = rows.map((row) => row.dataset["session"] ?? "");
  return () => selection.set(toggled(selection.get(), id, isRange ? shown : []));
}
