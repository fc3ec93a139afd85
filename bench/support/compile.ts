/** Builds a small C helper of `bench/c/` into a directory of its own, once for each run. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const compiler = process.env["CC"] ?? "gcc";
const directory = mkdtempSync(join(tmpdir(), "lectern-bench-"));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));

/** The path of the program. */
export function compile(name: string): string {
  const program = join(directory, name);
  execFileSync(compiler, ["-O2", "-o", program, join(import.meta.dirname, "../c", `${name}.c`), "-lutil"]);
  return program;
}
