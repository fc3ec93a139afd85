/** What can be asked of a session that runs, by the methods of a pty host. */
import type { HostedSession } from "./hosted-session.ts";
import type { HostMethod, HostMethods } from "./messages.ts";
import { endTaggedProcesses } from "./tagged-processes.ts";

type HostedMethod = Exclude<HostMethod, "spawn" | "list" | "totals" | "follow" | "supervise">;

export type HostedMethodTable = {
  readonly [Method in HostedMethod]: (
    parameters: HostMethods[Method]["parameters"],
    connection: object,
  ) => HostMethods[Method]["result"] | Promise<HostMethods[Method]["result"]>;
};

/** `session` finds the session of a handle; it throws `SESSION_ENDED` where `isKnown` is false. */
export const hostedMethods = (
  session: (handle: number) => HostedSession,
  isKnown: (handle: number) => boolean,
): HostedMethodTable => ({
  mark: ({ handle, event, key }) => session(handle).mark(event, key),
  speak: ({ handle, key, recorded, ...message }, speaker) => session(handle).speak(message, { key, recorded, speaker }),
  resize: ({ handle, ...size }) => session(handle).resize(size),
  signal: ({ handle, signal }) => {
    session(handle).signal(signal);
    return {};
  },
  probe: ({ handle }) => session(handle).probe(),
  kill: async ({ handle, graceMs }) => {
    // It has ended while the request was on its way.
    if (!isKnown(handle)) return {};
    const running = session(handle);
    await running.kill(graceMs);
    await endTaggedProcesses(running.session);
    return {};
  },
});
