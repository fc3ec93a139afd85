/** Where the daemon listens beside its unix socket. */
import { wholeNumber } from "../config-key.ts";

export const listen = {
  summary: "Where the daemon listens beside its unix socket: for `lectern up` and `lectern open`.",
  keys: {
    port: wholeNumber({
      default: 7433,
      minimum: 0,
      maximum: 65_535,
      needsRestart: true,
      summary: "The port; 0 takes a free one.",
    }),
  },
};
