/** Dialogs with several choices: each option has a box, which a key ticks, and another option submits them. */
import type { ApprovalOption } from "./approval.ts";

const BOX = /^(?:\[(.?)\]|([☐☑☒]))\s+/u;

/**
 * The label of an option without its box; `checked` is missing if it has none.
 * `readChoice("[✔] Dark mode"); // { label: "Dark mode", checked: true }`
 */
export function readChoice(shown: string): Pick<ApprovalOption, "label" | "checked"> {
  const [all = "", tick, box] = BOX.exec(shown) ?? [];
  if (all === "") return { label: shown };
  return { label: shown.slice(all.length), checked: box === undefined ? (tick ?? "").trim() !== "" : box !== "☐" };
}

/** The options as they are kept, with the ticks that are shown now; the same list if none has changed. */
export function withChecks(
  kept: readonly ApprovalOption[],
  seen: readonly ApprovalOption[],
): readonly ApprovalOption[] {
  const checks = new Map(seen.flatMap(({ id, checked }) => (checked === undefined ? [] : [[id, checked] as const])));
  const isSame = ({ id, checked }: ApprovalOption): boolean => (checks.get(id) ?? checked) === checked;
  if (kept.every(isSame)) return kept;
  return kept.map((option) => (isSame(option) ? option : { ...option, checked: checks.get(option.id) ?? false }));
}

/** The label as a person sees it. `labelOf({ label: "Dark mode", checked: true }); // "[x] Dark mode"` */
export const labelOf = ({ label, checked }: Pick<ApprovalOption, "label" | "checked">): string =>
  checked === undefined ? label : `[${checked ? "x" : " "}] ${label}`;
