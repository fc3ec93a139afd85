/** Codex on a server of its own, which Lectern reads beside its terminal. */
import type { Feature } from "../feature.ts";

export const codexFeature: Feature = {
  name: "codex",
  sessionParts: () => [
    {
      name: "server of Codex",
      begin: async ({ entry, input, sandbox }, launch) => {
        // The server of a sandboxed Codex would need a socket through its walls.
        if (input.mode !== "interactive" || sandbox !== undefined) return;
        (await import("./daemon/server-files.ts")).prepareServer(entry.directory, launch);
      },
    },
  ],
  open: async (daemon) => {
    const { CodexServers } = await import("./daemon/codex-servers.ts");
    const servers = new CodexServers(daemon);
    return {
      start: () => servers.start(),
      created: (entry) => servers.follow(entry),
      close: async () => await servers[Symbol.asyncDispose](),
    };
  },
};
