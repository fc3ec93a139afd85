/** Reads a `lectern.yaml`. Nothing that reads YAML is loaded where there is no file. */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { CheckedConfig, ConfigKind } from "../../core/config/check-config.ts";
import { FILE_CHARS_MAX } from "../../core/gate/data-file.ts";
import { threadJobs, type JobInput, type JobOutput } from "../jobs/thread-jobs.ts";

/**
 * Undefined if there is no file. A file that cannot be read has one problem. Does not wait for the writer of a pipe. `check`: where the
 * text is read, if not in this thread.
 */
export async function readConfig(
  path: string,
  kind: ConfigKind,
  check: (input: JobInput<"config">) => Promise<JobOutput<"config">> = threadJobs.config,
): Promise<CheckedConfig | undefined> {
  let text: string;
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    const stats = await file.stat();
    if (!stats.isFile()) return unreadable("it is not a regular file");
    if (stats.size > FILE_CHARS_MAX) return unreadable(`it has ${stats.size} bytes, the limit is ${FILE_CHARS_MAX}`);
    text = await file.readFile("utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? undefined : unreadable(message.replace(/, \w+( '.*')?$/, ""));
  }
  return await check({ text, kind });
}

const unreadable = (why: string): CheckedConfig => ({
  data: {},
  problems: [{ line: 1, column: 1, severity: "error", message: `Cannot read the file: ${why}`, section: null }],
});
