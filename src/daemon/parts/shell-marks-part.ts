import { mayLoad } from "../../core/acting/repl-loader.ts";
import { integrateShell } from "../../terminal/shell-integration.ts";
import { makeActDirectory, removeActDirectory } from "../sessions/act-directory.ts";
import { keepNonce } from "../sessions/shell-nonce.ts";
import type { SessionPart } from "./session-part.ts";

/** Asks a shell at which somebody types for marks, whose nonce is beside the journal, and gives it and REPLs the directory in which they are handed commands. */
export const shellMarksPart: SessionPart = {
  name: "shell marks",
  begin: async ({ entry, input }, launch) => {
    if (input.mode !== "interactive") return;
    if (mayLoad(launch.command)) launch.writtenDirectories.push(makeActDirectory(entry.directory));
    if (!input.shellIntegration) return;
    const integration = integrateShell(launch.command, launch.environment, () => makeActDirectory(entry.directory));
    if (integration === undefined) return;
    await keepNonce(entry.directory, integration.nonce);
    launch.environment = integration.environment;
    launch.writtenDirectories.push(integration.actDirectory);
  },
  end: (entry) => removeActDirectory(entry.directory),
};
