/** The thread of a `JobThread`: runs one job after the other and ends with the first that throws. */
import { parentPort } from "node:worker_threads";
import { threadJobs, type ThreadJob } from "./thread-jobs.ts";

export interface JobRequest {
  readonly job: ThreadJob;
  readonly input: unknown;
}

parentPort?.on("message", ({ input, job }: JobRequest) => {
  const run = threadJobs[job] as (input: unknown) => Promise<unknown>;
  void run(input).then((result) => parentPort?.postMessage(result));
});
