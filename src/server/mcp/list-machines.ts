/** The sessions of other machines, and what is known of those that do not answer. */
import { waits } from "../../core/waits.ts";
import { toLecternError } from "../../protocol/errors.ts";
import { sessionOn } from "../../protocol/machine-updates.ts";
import type { MachineInfo } from "../../protocol/machines.ts";
import type { Session, SessionState } from "../../protocol/session.ts";
import { callsOn, type McpCalls } from "./tool.ts";

interface MachineSessions {
  readonly machines: Pick<MachineInfo, "name" | "state" | "reason">[];
  /** With the machine in front of id and name. */
  readonly sessions: Session[];
}

/** Asks all at once; none for longer than 5 s. */
export async function listMachines(
  calls: McpCalls<"machines.list" | "sessions.list">,
  state: SessionState | undefined,
): Promise<MachineSessions> {
  const { machines } = await calls.call("machines.list", {});
  const found = await Promise.all(
    machines.map(async ({ name }): Promise<MachineSessions> => {
      try {
        const there = callsOn(calls, name, AbortSignal.timeout(waits.answerMs));
        const { sessions } = await there.call("sessions.list", { state });
        return {
          machines: [{ name, state: "connected", reason: null }],
          sessions: sessions.map((session) => sessionOn(name, session)),
        };
      } catch (error) {
        const { code, message } = toLecternError(error);
        const reason = code === "CANCELLED" ? `it did not answer in ${waits.answerMs} ms` : message;
        return { machines: [{ name, state: "away", reason }], sessions: [] };
      }
    }),
  );
  return {
    machines: found.flatMap((each) => each.machines),
    sessions: found.flatMap(({ sessions }) => sessions),
  };
}
