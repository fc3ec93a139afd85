/** The `lectern` of this checkout as a single word of a shell, wherever the checkout is: its own path may have blanks. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const checkout = resolve(import.meta.dirname, "../..");
const directory = mkdtempSync(join(tmpdir(), "lectern-launcher-"));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));

export const launcher = join(checkout, "bin/lectern.mjs");
export const lecternCommand = join(directory, "lectern");
writeFileSync(lecternCommand, `#!/bin/sh\nexec ${quote(process.execPath)} ${quote(launcher)} "$@"\n`, { mode: 0o755 });

/**
 * Settings of a sandbox in which this Node and `lecternCommand` run. A sandbox has a `/tmp` of its own, which hides the command and also
 * a checkout that is below it.
 */
export const sandboxWithLectern = (...readOnly: readonly string[]): string =>
  `readOnly: ${JSON.stringify([`${checkout}/`, `${directory}/`, ...readOnly])}\n`;

/** One word of a shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
