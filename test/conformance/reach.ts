/** A daemon with a port and a token, and the programs that run in it. */
import type { CliHome } from "../e2e/cli-home.ts";
import type { LecternClient } from "../../src/client/client.ts";
import type { InputOf } from "../../src/protocol/operations.ts";
import type { Fields, Programs } from "./way.ts";

/** As long as a program of a case may take on a busy machine. */
export const WAIT_MS_MAX = 60_000;

/** How a way reaches the daemon. */
export interface Reach {
  readonly home: CliHome;
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** Of the scope `admin`. */
  readonly token: string;
}

/** The daemon of the home listens on a port. */
export async function reachOf(home: CliHome): Promise<Reach> {
  const { listen } = await home.client.call("daemon.info", {});
  const url = listen.find((where) => where.startsWith("http"));
  if (url === undefined) throw new Error("The daemon listens on no port");
  const { id, token } = await home.client.call("tokens.create", { scope: "admin", label: "conformance" });
  home.lastingTokens.add(id);
  return { home, url, token };
}

export function daemonPrograms(client: LecternClient): Programs {
  const until = async (session: string, wanted: InputOf<"sessions.wait">["for"]): Promise<void> => {
    const { reason } = await client.call("sessions.wait", { session, for: wanted, from: 0, timeoutMs: WAIT_MS_MAX });
    if (reason !== wanted.type) throw new Error(`Waited for ${JSON.stringify(wanted)} of "${session}": ${reason}`);
  };
  return {
    start: async (input: Fields) => void (await client.call("sessions.create", input as InputOf<"sessions.create">)),
    untilOutput: (session, pattern) => until(session, { type: "output", pattern }),
    untilExit: (session) => until(session, { type: "exit" }),
    // The home removes its sessions.
    clear: async () => {},
  };
}
