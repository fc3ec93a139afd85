/** The thread of one `YamlThread.run`: it reads one text and ends. */
import { parentPort, workerData } from "node:worker_threads";
import { yamlJobs, type YamlJob } from "./yaml-jobs.ts";

const { input, job } = workerData as { readonly job: YamlJob; readonly input: unknown };

const run = yamlJobs[job] as (input: unknown) => Promise<unknown>;
parentPort?.postMessage(await run(input));
