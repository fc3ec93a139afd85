/** The policies of sessions: a start needs one twice, and sessions that begin together mostly have the same one. */
import { forgetOldest } from "../../core/forget-oldest.ts";
import { threadJobs, type JobOutput } from "./thread-jobs.ts";
import { JobThread } from "./job-thread.ts";

/** A policy of the largest size is about 1 MB as data. */
const KEPT_MAX = 8;

/** The policy of sessions without one, for example: reading it takes less time than starting a thread. */
const SHORT_CHARS_MAX = 1024;

/** Sessions of an earlier daemon are resumed all at once. */
const thread = new JobThread({ waitingMax: 1000 });
const kept = new Map<string, Promise<JobOutput<"policy">>>();

/** Rejects with `LIMIT_EXCEEDED` as `JobThread.run` does. */
export function readPolicy(text: string): Promise<JobOutput<"policy">> {
  const known = kept.get(text);
  if (known !== undefined) return known;
  const read = text.length <= SHORT_CHARS_MAX ? threadJobs.policy(text) : thread.run("policy", text);
  kept.set(text, read);
  read.catch(() => kept.delete(text));
  forgetOldest(kept, KEPT_MAX);
  return read;
}
