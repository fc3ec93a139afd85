/** Tokens and cost, added up over sessions. */
import type { Feature } from "../feature.ts";

export const usageFeature: Feature = {
  name: "usage",
  commands: { watch: { usage: async () => (await import("./cli/usage.ts")).usage } },
  open: async (daemon) => ({ handlers: (await import("./daemon/usage-handlers.ts")).usageHandlers(daemon) }),
};
