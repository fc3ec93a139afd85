import type { WaysOut } from "../network/ways-out.ts";
import type { SessionPart } from "./session-part.ts";

/** The sockets through which a sandboxed program reaches the gateway and named hosts. */
export const waysOutPart = (waysOut: WaysOut): SessionPart => ({
  name: "network of the sandbox",
  begin: async ({ entry, input }, launch) => {
    if (launch.walls === undefined) return;
    const { environment, walls } = launch;
    const approvalMs = input.wire?.approvalMs;
    launch.wayOut = await waysOut.begin(entry, { network: walls.network, approvalMs, environment });
  },
  resume: async (entry) => await waysOut.resume(entry),
  end: (entry) => waysOut.end(entry.id),
});
