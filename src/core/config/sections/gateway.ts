/** Limits of the gateway on the way to the model servers. */
import { duration, wholeNumber } from "../config-key.ts";

export const gateway = {
  summary: "Limits of the gateway for the requests to each model server, see [gateway](gateway.md).",
  keys: {
    connections: wholeNumber({
      default: 512,
      minimum: 1,
      maximum: 65_536,
      needsRestart: true,
      summary: "Requests to one model server at a time, of all sessions; over HTTP/1.1 each has a connection.",
    }),
    queue: wholeNumber({
      default: 1024,
      minimum: 0,
      maximum: 65_536,
      needsRestart: true,
      summary: "Requests that wait for one of them; more are refused with `upstream_busy`.",
    }),
    queueTime: duration({
      default: "1m",
      minimum: "1s",
      needsRestart: true,
      summary: "How long each of them waits; then it is refused with `upstream_busy`.",
    }),
    idle: duration({
      default: "5m",
      minimum: "1s",
      needsRestart: true,
      summary:
        "Silence of a model server after which its answer is broken off with `upstream_idle`; pings do not count.",
    }),
  },
};
