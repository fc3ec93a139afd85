/** The `lectern` of this checkout as a single word of a shell, wherever the checkout is: its own path may have blanks. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const checkout = resolve(import.meta.dirname, "../..");
const directory = mkdtempSync(join(tmpdir(), "lectern-launcher-"));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));

/** The runner of the tests has made a package of the sources for the stages that start the command. */
export const launcher = process.env["LECTERN_TEST_LAUNCHER"] ?? join(checkout, "bin/lectern.mjs");
export const lecternCommand = join(directory, "lectern");
// No shell in between: one that starts in a directory that is gone complains, and forgets its name.
const node = join(directory, "node");
symlinkSync(process.execPath, node);
writeFileSync(lecternCommand, `#!${node}\nimport(${JSON.stringify(pathToFileURL(launcher).href)});\n`, { mode: 0o755 });

/**
 * Settings of a sandbox in which this Node and `lecternCommand` run. A sandbox has a `/tmp` of its own, which hides the command and also
 * a checkout that is below it.
 */
export const sandboxWithLectern = (...readOnly: readonly string[]): string =>
  `readOnly: ${JSON.stringify([`${checkout}/`, `${directory}/`, ...readOnly])}\n`;

/** A program of JavaScript, CommonJS or not, for this Node, whose path may have blanks. */
export const nodeProgram = (script: string): string =>
  `#!/bin/sh\n":" //; exec ${quote(process.execPath)} "$0" "$@"\n${script}`;

/** One word of a shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
