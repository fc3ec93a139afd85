/** Actions on sessions, which show their outcome as a notice. */
import type { InputOf, Session } from "../../client.ts";
import { machinePath } from "../../protocol/routes.ts";
import { splitAddress } from "../../protocol/session-address.ts";
import { daemon, messageOf, sessionFrom } from "../api.ts";
import { notify } from "../parts/notice.ts";
import { forgetSession, learnSession } from "./session-list.ts";

export const isLive = ({ state }: Session): boolean => state === "running" || state === "starting";

/** Runs an action and shows its outcome. Resolves with whether it succeeded. */
export async function act(done: string, action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    notify(done);
    return true;
  } catch (error) {
    notify(messageOf(error), "problem");
    return false;
  }
}

const learnChanged = (reference: string, answer: Session): void =>
  learnSession(sessionFrom(splitAddress(reference).machine, answer));

export const changeSession = ({ id }: Session, change: Omit<InputOf<"sessions.update">, "session">, name: string) =>
  act(`Changed ${name}`, async () =>
    learnChanged(id, await daemon().call("sessions.update", { session: id, ...change })),
  );

export const killSession = ({ id, name }: Session): Promise<boolean> =>
  act(`Ended ${name}`, async () => learnChanged(id, await daemon().call("sessions.kill", { session: id })));

export const interruptSession = ({ id, name }: Session): Promise<boolean> =>
  act(`Sent Ctrl-C to ${name}`, () => daemon().call("sessions.keys", { session: id, keys: ["C-c"] }));

export const removeSession = ({ id, name }: Session): Promise<boolean> =>
  act(`Removed ${name} and its recording`, async () => {
    await daemon().call("sessions.remove", { session: id });
    forgetSession(id);
  });

/** The address for downloading a recording. */
export function exportAddress({ id }: Session, format: "asciicast-v3" | "asciicast-v2" | "raw" | "text"): string {
  const { machine, session } = splitAddress(id);
  const path = `/v1/sessions/${encodeURIComponent(session)}/export?format=${format}`;
  return machine === undefined ? path : machinePath(machine, path);
}
