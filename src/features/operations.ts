/** The operations of all features: a part of the operation table, whose types clients of all kinds share. */
import { clusterOperations } from "./cluster/protocol/cluster-operations.ts";
import { notifyOperations } from "./notify/protocol/notify-operations.ts";
import { pushOperations } from "./notify/protocol/push-operations.ts";
import { resumeOperations } from "./resume/protocol/resume-operations.ts";
import { taskOperations } from "./tasks/protocol/task-operations.ts";
import { usageOperations } from "./usage/protocol/usage-operations.ts";

export const featureOperations = {
  ...clusterOperations,
  ...notifyOperations,
  ...pushOperations,
  ...resumeOperations,
  ...taskOperations,
  ...usageOperations,
} as const;
