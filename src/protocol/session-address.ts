/** How a session on another machine is named. */

/** A session and the machine it is on; `machine` is undefined for this one. */
export interface SessionAddress {
  readonly machine: string | undefined;
  readonly session: string;
}

/**
 * Splits `box/work`; a reference without a slash is of this machine. Names contain no slash, so there is one way to read it.
 * `splitAddress("box/work"); // { machine: "box", session: "work" }`
 */
export function splitAddress(reference: string): SessionAddress {
  const at = reference.indexOf("/");
  if (at < 0) return { machine: undefined, session: reference };
  return { machine: reference.slice(0, at), session: reference.slice(at + 1) };
}

/** The reference of a session for a reader elsewhere: `box/work`. */
export const joinAddress = ({ machine, session }: SessionAddress): string =>
  machine === undefined ? session : `${machine}/${session}`;
