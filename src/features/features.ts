/** The list of all features, in the order in which they are opened. Their records load nothing before it is used. */
import { acpFeature } from "./acp/feature.ts";
import { clusterFeature } from "./cluster/feature.ts";
import { codexFeature } from "./codex/feature.ts";
import type { Feature } from "./feature.ts";
import { machinesFeature } from "./machines/feature.ts";
import { notifyFeature } from "./notify/feature.ts";
import { otlpFeature } from "./otlp/feature.ts";
import { resumeFeature } from "./resume/feature.ts";
import { tasksFeature } from "./tasks/feature.ts";
import { usageFeature } from "./usage/feature.ts";

/** A machine that two features lead to is that of the first. */
export const features: readonly Feature[] = [
  tasksFeature,
  resumeFeature,
  usageFeature,
  machinesFeature,
  clusterFeature,
  notifyFeature,
  otlpFeature,
  acpFeature,
  codexFeature,
];
