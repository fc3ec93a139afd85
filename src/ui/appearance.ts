/** Light or dark colours: those of the system unless the user has chosen. */
import { ValueStore } from "./store.ts";

export type Appearance = "system" | "light" | "dark";

const KEY = "lectern-appearance";

const isAppearance = (value: unknown): value is Appearance =>
  value === "system" || value === "light" || value === "dark";

const appearance = new ValueStore<Appearance>("system");
export const isDark = new ValueStore(false);

export function startAppearance(): void {
  const stored = localStorage.getItem(KEY);
  const system = matchMedia("(prefers-color-scheme: dark)");
  appearance.set(isAppearance(stored) ? stored : "system");
  const apply = (): void => {
    const chosen = appearance.get();
    isDark.set(chosen === "system" ? system.matches : chosen === "dark");
    document.documentElement.style.colorScheme = chosen === "system" ? "" : chosen;
  };
  system.addEventListener("change", apply);
  appearance.subscribe(apply);
  apply();
}

export function chooseAppearance(chosen: Appearance): void {
  localStorage.setItem(KEY, chosen);
  appearance.set(chosen);
}
