/** Homes in which tests start fish. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";

/**
 * Makes the directory that fish looks for when it starts: in a home without it, fish reads each manual page of the machine in the background, for 15 s
 * of processor time, and goes on writing while the test removes the home.
 */
export const makeFishHome = (home: string): void =>
  void mkdirSync(join(home, ".local/share/fish/generated_completions"), { recursive: true });
