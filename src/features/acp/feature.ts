/** Agents that speak the Agent Client Protocol, and editors that use them. */
import type { Feature } from "../feature.ts";

export const acpFeature: Feature = {
  name: "acp",
  commands: { agents: { acp: async () => (await import("./cli/acp.ts")).acp } },
};
