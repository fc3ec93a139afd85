/** The Agent Client Protocol: sessions for editors, and agents that outlive their editor. */
import type { Feature } from "../feature.ts";

export const acpFeature: Feature = {
  name: "acp",
  commands: { agents: { acp: async () => (await import("./cli/acp.ts")).acp } },
};
