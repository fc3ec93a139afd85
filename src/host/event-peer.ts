/**
 * Determines which process is on the other end of the event socket, and how far its events are trusted.
 *
 * Reliable: the kernel reports which process connected (`SO_PEERCRED`). It belongs to the session if its session id is that of the
 * program or the program is among its ancestors. Only processes started by the program can have either, and
 * tools that an agent starts with `setsid` still have it as ancestor. A process with neither (a daemon) is only known by the
 * variable in its environment, which any process of the user could set, so it is trusted no more than its nonce.
 */
import type { Socket } from "node:net";
import type { EventTrust } from "../core/records.ts";
import { loadLibc } from "../pty/libc.ts";
import { environmentOf, readStat } from "../pty/proc-files.ts";
import { SESSION_VARIABLE } from "./tagged-processes.ts";

const ANCESTORS_MAX = 64;

/** What the kernel reports about a peer, read when it connects, because its pid may be reused after it has ended. */
export interface EventPeer {
  readonly pid: number;
  readonly uid: number;
  /** Leader of its kernel session; undefined if it had already ended. */
  readonly leader: number | undefined;
  readonly ancestors: readonly number[];
  /** The session named in its environment. */
  readonly tag: string | undefined;
}

export interface EventClaim {
  readonly session: string;
  /** Pid of the session's program. */
  readonly pid: number;
  /** The user who runs the host. */
  readonly uid: number;
  readonly hasNonce: boolean;
}

/** How far an event is trusted; undefined if its sender is known to be outside of the session, so the event is refused. */
export function judgePeer(peer: EventPeer | undefined, claim: EventClaim): EventTrust | undefined {
  const withoutProof = claim.hasNonce ? "nonce" : "unverified";
  if (peer === undefined) return withoutProof;
  if (peer.uid !== claim.uid) return undefined;
  if (peer.leader === claim.pid || peer.ancestors.includes(claim.pid)) return "socket";
  return peer.leader === undefined || peer.tag === claim.session ? withoutProof : undefined;
}

/** Undefined if the peer cannot be determined: not on Linux, or FFI is off. */
export function readPeer(descriptor: number): EventPeer | undefined {
  const peer = loadLibc().libc?.peerOf(descriptor);
  if (peer === undefined) return undefined;
  const stat = readStat(peer.pid);
  return { ...peer, leader: stat?.session, ancestors: ancestorsOf(stat?.parent), tag: tagOf(peer.pid) };
}

/** Node does not expose the descriptor of a socket, which is needed to ask the kernel for the peer. */
export const descriptorOf = (socket: Socket): number =>
  (socket as unknown as { readonly _handle?: { readonly fd?: number } })._handle?.fd ?? -1;

function ancestorsOf(parent: number | undefined): number[] {
  const ancestors: number[] = [];
  for (
    let pid = parent;
    pid !== undefined && pid > 1 && ancestors.length < ANCESTORS_MAX;
    pid = readStat(pid)?.parent
  ) {
    ancestors.push(pid);
  }
  return ancestors;
}

function tagOf(pid: number): string | undefined {
  const prefix = `${SESSION_VARIABLE}=`;
  return environmentOf(pid)
    ?.find((entry) => entry.startsWith(prefix))
    ?.slice(prefix.length);
}
