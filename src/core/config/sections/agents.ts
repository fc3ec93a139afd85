import { texts } from "../config-key.ts";

export const agents = {
  summary: "Users' own agent files.",
  keys: {
    folders: texts({
      type: "list of directories",
      needsRestart: true,
      summary:
        "Agent files are also read from here; `~/` is your home directory, other relative paths are in the data directory.",
    }),
  },
};
