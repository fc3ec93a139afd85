import { choice } from "../config-key.ts";

export const log = {
  summary: "The log of the daemon, `daemon.log` in the data directory.",
  keys: {
    level: choice(["fatal", "error", "warn", "info", "debug", "trace"], {
      default: "warn",
      environment: "LECTERN_LOG_LEVEL",
      summary: "Lines of this level and above are written; `debug` has one for each request.",
    }),
  },
};
