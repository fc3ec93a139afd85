/**
 * Who is on the other end of the event socket, and how far that is to be believed.
 *
 * Sound: the kernel says which process connected (`SO_PEERCRED`), and it is of the session where its own session id is that of the
 * program, or where the program is among its ancestors. Neither can be had by anybody who was not started by the program, and
 * tools that an agent starts with `setsid` still have it as ancestor. A process that left both (a daemon) is known by the
 * variable in its environment only, which any process of the user could set: that is worth no more than the nonce that it says.
 */
import type { Socket } from "node:net";
import type { EventTrust } from "../core/records.ts";
import { loadLibc } from "../pty/libc.ts";
import { readProc, readStat } from "../pty/proc-files.ts";
import { SESSION_VARIABLE } from "./tagged-processes.ts";

const ANCESTORS_MAX = 64;

/** What the kernel says about a peer, noted when it connected: its number may go to somebody else once it has ended. */
export interface EventPeer {
  readonly pid: number;
  readonly uid: number;
  /** Leader of the kernel's session that it is in; undefined where it had ended already. */
  readonly leader: number | undefined;
  readonly ancestors: readonly number[];
  /** The session that its environment names. */
  readonly tag: string | undefined;
}

/** The session that an event claims to come from. */
export interface EventClaim {
  readonly session: string;
  /** Pid of the session's program. */
  readonly pid: number;
  /** The user who runs the host. */
  readonly uid: number;
  readonly hasNonce: boolean;
}

/** How far an event is trusted; undefined where its sender is known to be somebody else, and it is refused. */
export function judgePeer(peer: EventPeer | undefined, claim: EventClaim): EventTrust | undefined {
  const byWord = claim.hasNonce ? "nonce" : "unverified";
  if (peer === undefined) return byWord;
  if (peer.uid !== claim.uid) return undefined;
  if (peer.leader === claim.pid || peer.ancestors.includes(claim.pid)) return "socket";
  return peer.leader === undefined || peer.tag === claim.session ? byWord : undefined;
}

/** Undefined where the system does not tell: no Linux, or FFI is off. */
export function readPeer(descriptor: number): EventPeer | undefined {
  const peer = loadLibc().libc?.peerOf(descriptor);
  if (peer === undefined) return undefined;
  const stat = readStat(peer.pid);
  return { ...peer, leader: stat?.session, ancestors: ancestorsOf(stat?.parent), tag: tagOf(peer.pid) };
}

/** Node does not show the descriptor of a socket, and there is no other way to ask the kernel who is on the other end. */
export function descriptorOf(socket: Socket): number {
  return (socket as unknown as { readonly _handle?: { readonly fd?: number } })._handle?.fd ?? -1;
}

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
  const { text } = readProc(`/proc/${pid}/environ`);
  return text
    ?.split("\0")
    .find((entry) => entry.startsWith(prefix))
    ?.slice(prefix.length);
}
