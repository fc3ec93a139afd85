/**
 * Makes the package of these sources in a directory of this clone, unless it is there: `node scripts/build-test-package.ts DIRECTORY`.
 * The end-to-end tests start the command from it, as users do ([why](../docs/decisions/test-suite.md#tests-start-a-bundle)).
 */
import { cpSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fingerprintOf, isFresh } from "./fingerprint.ts";

const root = resolve(import.meta.dirname, "..");
/** Not links: of one, Node takes the place of the clone's launcher, which starts the sources, and a sandbox shows no file. */
const copied = ["bin", "package.json", "policies", "shell", "src/core/agents/built-in"];
/** The commit tells builds apart, so a command from the sources takes this daemon for one of its own build. */
const linked = [".git", "dist/ui"];

const directory = resolve(process.argv[2] ?? "");
const fingerprint = fingerprintOf([
  "src/!(ui)/**/*",
  "src/*.ts",
  "{bin,policies,shell}/**/*",
  "package.json",
  "scripts/{bundle,build-test-package}.ts",
]);
if (!isFresh(join(directory, "sources.sha256"), fingerprint)) {
  const { writeBundle } = await import("./bundle.ts");
  const unfinished = `${directory}-${process.pid}`;
  await writeBundle(join(unfinished, "dist"));
  for (const name of copied) cpSync(join(root, name), join(unfinished, name), { recursive: true });
  for (const name of linked) symlinkSync(join(root, name), join(unfinished, name));
  writeFileSync(join(unfinished, "sources.sha256"), fingerprint);
  rmSync(directory, { recursive: true, force: true });
  renameSync(unfinished, directory);
}
