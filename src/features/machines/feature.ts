/** Other machines, over the user's ssh. */
import { existsSync } from "node:fs";
import type { Feature } from "../feature.ts";

export const machinesFeature: Feature = {
  name: "machines",
  commands: { administration: { hosts: async () => (await import("./cli/hosts.ts")).hosts } },
  open: async ({ onError, paths: { hostsFile, machinesDirectory: directory } }) => {
    const { LaterMachines } = await import("./daemon/later-machines.ts");
    return {
      machines: new LaterMachines({
        exists: () => existsSync(hostsFile),
        load: async () => {
          const { SshMachines } = await import("./daemon/ssh-machines.ts");
          return new SshMachines({ hostsFile, directory, onProblem: onError });
        },
        onError,
      }),
    };
  },
};
