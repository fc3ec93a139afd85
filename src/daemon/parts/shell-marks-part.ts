import { integrateShell } from "../../terminal/shell-integration.ts";
import { makeActDirectory, removeActDirectory } from "../sessions/act-directory.ts";
import { keepNonce } from "../sessions/shell-nonce.ts";
import type { SessionPart } from "./session-part.ts";

/** Asks a shell at which somebody types for marks, and gives it the directory in which it is handed commands; their nonce is beside the journal. */
export const shellMarksPart: SessionPart = {
  name: "shell marks",
  begin: async ({ entry, input }, launch) => {
    if (!input.shellIntegration || input.mode !== "interactive") return;
    const integration = integrateShell(launch.command, launch.environment, () => makeActDirectory(entry.directory));
    if (integration === undefined) return;
    await keepNonce(entry.directory, integration.nonce);
    launch.environment = integration.environment;
    launch.writtenDirectories.push(integration.actDirectory);
  },
  end: (entry) => removeActDirectory(entry.directory),
};
