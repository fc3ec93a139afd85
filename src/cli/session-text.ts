import type { ExitStatus } from "../protocol/records.ts";
import type { Session, SessionGate } from "../protocol/session.ts";
import { hasFailed } from "../protocol/exit-code.ts";
import type { StatusState } from "../core/status/status.ts";
import { formatAgo } from "./quantities.ts";
import type { Style } from "./style.ts";

type Ended = Pick<Session, "state" | "exit"> & Partial<Pick<Session, "isImported" | "unreachable" | "damaged">>;

/** `running`, `unreachable`, `exited 0`, `SIGKILL`, `lost`, `recording` or `damaged`. */
export function stateText({ state, exit, isImported, unreachable = null, damaged }: Ended): string {
  if (typeof damaged === "string" && exit !== null) return "damaged";
  if (isImported === true) return "recording";
  if (exit === null) return unreachable === null ? state : "unreachable";
  switch (exit.reason) {
    case "exited":
      return `exited ${exit.code}`;
    case "signaled":
      return exit.signal;
    case "lost":
      return "lost";
  }
}

export function paintState(session: Ended, style: Style): string {
  const text = stateText(session);
  if (text === "damaged") return style.red(text);
  if (session.isImported === true) return style.dim(text);
  if (session.exit === null) return text === "running" ? style.green(text) : text;
  return hasFailed(session.exit) || session.exit.reason === "lost" ? style.red(text) : style.dim(text);
}

/** `3 requests, 2 calls, policy 9f86d081, 5s ago`: what the gateway has seen of a session, and the policy that holds. */
export function gateCounts({ calls, lastRequestAt, policyHash, requests }: SessionGate, nowMs: number): string {
  const policy = policyHash === null ? "no policy" : `policy ${policyHash.slice(0, 8)}`;
  const last = lastRequestAt === null ? [] : [formatAgo(Date.parse(lastRequestAt), nowMs)];
  return [`${requests} requests`, `${calls} calls`, policy, ...last].join(", ");
}

/** How a session ended, as a predicate. */
export function exitText(exit: ExitStatus): string {
  switch (exit.reason) {
    case "exited":
      return `exited with code ${exit.code}`;
    case "signaled":
      return `was ended by ${exit.signal}`;
    case "lost":
      return "was lost: its end was not observed";
  }
}

/** ` on request`, ` by hand`, or nothing if the program ended by itself. */
export const causeText = (exit: ExitStatus): string =>
  exit.reason === "lost" || exit.endedBy === undefined ? "" : exit.endedBy === "request" ? " on request" : " by hand";

/** The state in the colour of its urgency. */
export function paintStatus(state: StatusState, style: Style): string {
  if (state === "blocked") return style.red(state);
  if (state === "working" || state === "starting") return style.green(state);
  if (state === "waiting") return style.yellow(state);
  return style.dim(state);
}
