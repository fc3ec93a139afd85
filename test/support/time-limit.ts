/**
 * Ends the process of a test that failed. The test runner has a limit for each test, but none for a file: a test that timed out leaves its programs, sockets and daemons behind, which keep the process, and the whole run, from ending.
 */
import { after, beforeEach } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { endLeftovers } from "./leftovers.ts";
import { isTestProcess } from "./test-process.ts";

/** Of one test, as the runner says it to the process of the file. */
const TEST_MS_MAX = Number(process.execArgv.join(" ").match(/--test-timeout=(\d+)/)?.[1] ?? 0);
/** Of one file, and those that share its process. */
const FILES = Math.max(1, process.argv.length - 2);
/** All files of a process, also one whose test blocks the event loop of its child for long. */
const FILES_MS_MAX = FILES * Math.max(900_000, TEST_MS_MAX);
/** From the end of the last test to the end of its process. */
const CLEANUP_MS_MAX = 60_000;
/** A file that cleans up by itself has ended long before. */
const LEFTOVERS_MS = 5000;

function exitAfter(milliseconds: number, what: string): void {
  setTimeout(() => {
    console.error(
      `Still running ${milliseconds} ms after ${what}, because of: ${process.getActiveResourcesInfo().join(", ")}`,
    );
    process.exit(1);
  }, milliseconds).unref();
}

// The runner sets the variable for the processes of its files; it is preloaded into the runner itself and into threads too.
if (isTestProcess) {
  exitAfter(FILES_MS_MAX, "the start of the process");
  for (const name of ["SIGINT", "SIGTERM"] as const)
    process.once(name, () => void cleanUp().then(() => process.exit(143)));
  // Results are written between turns of the loop: without one, a file whose tests never wait tells nothing, and is ended as hanging.
  beforeEach(() => nextTurn());
  after(() => {
    exitAfter(CLEANUP_MS_MAX, "the end of the last test");
    setTimeout(() => void cleanUp(), LEFTOVERS_MS).unref();
    // Daemons are processes of their own, so they do not keep this one from ending.
    process.once("beforeExit", () => void cleanUp());
  });
}

async function cleanUp(): Promise<void> {
  const count = await endLeftovers();
  if (count > 0) console.error(`Ended what ${count} unfinished test${count === 1 ? "" : "s"} had started`);
}
