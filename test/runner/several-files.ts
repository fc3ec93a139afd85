/** Runs the tests of several files in one process, one file after the other, each with hooks of its own: `several-files.ts FILE...` */
import { resolve } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { shareAmongFiles } from "../support/shared-by-files.ts";

/** Each of its tests has a limit, which is shorter. */
const FILE_MS_MAX = 3_600_000;

shareAmongFiles();
for (const file of process.argv.slice(2))
  void test(file, { timeout: FILE_MS_MAX }, async () => void (await import(pathToFileURL(resolve(file)).href)));
