/** Skips a test that this user cannot run, with the reason that the report shows beside its name. */
import type { TestContext } from "node:test";

const isRoot = process.platform === "linux" && process.getuid?.() === 0;

/** To be called first: true if the test is skipped. */
function isSkipped(context: TestContext, reason: string): boolean {
  if (!isRoot) context.skip(`needs root: ${reason}`);
  return !isRoot;
}

export const cannotMount = (context: TestContext): boolean => isSkipped(context, "it mounts a small file system");

export const cannotBeOther = (context: TestContext): boolean => isSkipped(context, "it acts as another user");
