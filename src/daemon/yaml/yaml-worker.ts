/** The thread of a `YamlThread`: it does one job after the other, and ends with the first that throws. */
import { parentPort } from "node:worker_threads";
import { yamlJobs, type YamlJob } from "./yaml-jobs.ts";

export interface YamlRequest {
  readonly job: YamlJob;
  readonly input: unknown;
}

parentPort?.on("message", ({ input, job }: YamlRequest) => {
  const run = yamlJobs[job] as (input: unknown) => Promise<unknown>;
  void run(input).then((result) => parentPort?.postMessage(result));
});
