/** The checks of `lectern doctor` about sandboxes: whether one can be started here, and what else keeps a program from typing for you. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kernelSetting, probeSandbox } from "../daemon/sandbox/backend.ts";
import type { Check } from "./check.ts";
import { platform } from "../pty/platform.ts";

const TIOCSTI_SETTING = "dev/tty/legacy_tiocsti";

export async function checkSandboxes(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly Check[]> {
  if (!platform.hasProc) return [];
  return [await checkBackend(environment), checkTyping(kernelSetting(TIOCSTI_SETTING))];
}

async function checkBackend(environment: Readonly<Record<string, string | undefined>>): Promise<Check> {
  const name = "sandbox";
  const directory = mkdtempSync(join(tmpdir(), "lectern-doctor-"));
  try {
    const startedAt = performance.now();
    const backend = await probeSandbox(directory, environment);
    if (!backend.isAvailable)
      return { name, status: "warn", message: `--sandbox is refused: ${backend.reason}`, next: backend.next };
    const tookMs = Math.round(performance.now() - startedAt);
    return { name, status: "ok", message: `${backend.bubblewrap} starts one in ${tookMs} ms` };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Whether the kernel lets a program type into its own terminal (`TIOCSTI`), which is closed in every sandbox. */
function checkTyping(legacy: string | undefined): Check {
  const name = "typing";
  if (legacy === "0") return { name, status: "ok", message: "the kernel lets no program type into its terminal" };
  const message =
    "a program without a sandbox can type into its own terminal (TIOCSTI), and so answer its agent's dialogs";
  const next = "Use --sandbox, or: sudo sysctl dev.tty.legacy_tiocsti=0";
  return { name, status: "warn", message, ...(legacy === "1" && { next }) };
}
