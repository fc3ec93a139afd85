import type { ShellStep } from "./command-tracker.ts";

/**
 * Where a shell is, as far as its marks tell.
 * - `none`: it was not asked for marks
 * - `starting`: it was, and gave none yet
 * - `typed`: something was typed at its prompt, and it has not reported what became of it
 * - `between`: a command has ended, and its prompt has not come yet
 */
export type ShellPlace = "none" | "starting" | "prompt" | "continuation" | "typed" | "running" | "between";

/**
 * What the marks have reported to a wait.
 * - `silent`: nothing that decides
 * - `typed`: a line was typed at the prompt; line editors redraw their prompt if something is pasted, so a start must come first
 * - `redrawn`: a prompt came without a start: it was redrawn, or the line was empty
 * - `running`, `ended`: a command
 * - `prompt`, `continuation`: the shell reads a command, or the rest of one
 */
export type ShellWait =
  | { readonly state: "silent" | "typed" | "running" | "prompt" | "continuation" }
  | { readonly state: "redrawn" | "ended"; readonly atMs: number };

/** `place` is where the shell is now, `typedAt` where it was when a line was typed right before; null if none was. */
export function shellAtStart(
  { place, typedAt }: { readonly place: ShellPlace; readonly typedAt: ShellPlace | null },
  nowMs: number,
): ShellWait {
  if (place === "continuation") return { state: "continuation" };
  if (typedAt === "prompt" && place === "prompt") return { state: "redrawn", atMs: nowMs };
  if (typedAt === "prompt" && (place === "typed" || place === "running")) return { state: place };
  return { state: place === "prompt" && !hasPromptBefore(typedAt) ? "prompt" : "silent" };
}

/** The line was typed before the shell had drawn the prompt that it reads it at: that prompt does not end the wait. */
export const hasPromptBefore = (typedAt: ShellPlace | null): boolean =>
  typedAt === "starting" || typedAt === "between" || typedAt === "typed";

export function shellAfter(shell: ShellWait, step: ShellStep, nowMs: number): ShellWait {
  switch (step.type) {
    case "prompt":
      return shell.state === "typed" || shell.state === "redrawn"
        ? { state: "redrawn", atMs: nowMs }
        : { state: "prompt" };
    case "continuation":
      return { state: "continuation" };
    case "command-start":
      return { state: "running" };
    case "command-end":
      return { state: "ended", atMs: nowMs };
    case "act":
      // The prompt that follows is a new one.
      return step.answer === "skipped" ? { state: "silent" } : shell;
    case "output":
      return shell;
  }
}
