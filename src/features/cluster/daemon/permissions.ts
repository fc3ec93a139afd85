/**
 * What each member of a cluster may publish and subscribe to, as the servers enforce it.
 *
 * Law: no member may make a server or another member publish for it. So there are no `allow_responses` (an answer goes to any subject that
 * the caller names), no consumers (their `deliver_subject` is not checked against the permissions of who creates them) and no direct
 * reads (they repeat the bytes of a message on any reply subject). `test/cluster-permissions.test.ts` tries each of them on a real server.
 */
import {
  ALL_ROWS,
  factsSubject,
  frameSubject,
  framesTo,
  inboxPrefix,
  journalSubject,
  MACHINES_STREAM,
  replicasStream,
  requestsTo,
  requestSubject,
  rowSubject,
} from "./subjects.ts";

/**
 * - `machine`: offers its sessions to the others, and reaches none of them
 * - `operator`: offers its sessions, and reads and writes those of all machines
 * - `viewer`: reads the sessions of all machines, and offers none
 */
export const memberRoles = ["machine", "operator", "viewer"] as const;

export type MemberRole = (typeof memberRoles)[number];

/** Has a row, and answers requests. */
export const offersSessions = (role: MemberRole): boolean => role !== "viewer";

export function permissionsOf(
  name: string,
  role: MemberRole,
): { readonly publish: readonly string[]; readonly subscribe: readonly string[] } {
  const offers = offersSessions(role);
  const scopes = role === "operator" ? (["read", "write"] as const) : role === "viewer" ? (["read"] as const) : [];
  return {
    publish: [
      ...(offers ? [rowSubject(name)] : []),
      ...scopes.map((scope) => requestSubject({ machine: "*", scope, caller: name })),
      frameSubject({ from: name, to: "*", id: "*" }),
      "$JS.API.INFO",
      ...(offers ? replicasOf(name) : []),
      ...readableStreams(name, role).flatMap((stream) => [
        `$JS.API.STREAM.INFO.${stream}`,
        `$JS.API.STREAM.MSG.GET.${stream}`,
      ]),
    ],
    subscribe: [`${inboxPrefix(name)}.>`, ALL_ROWS, framesTo(name), ...(offers ? [requestsTo(name)] : [])],
  };
}

/** It writes its own, and removes what a person has removed from it. */
const replicasOf = (name: string): string[] => [
  journalSubject(name, "*"),
  factsSubject(name, "*"),
  `$JS.API.STREAM.PURGE.${replicasStream(name)}`,
];

/** Whoever reads the sessions of all machines reads all replicas. There are no other streams in the account. */
const readableStreams = (name: string, role: MemberRole): string[] =>
  role === "machine" ? [MACHINES_STREAM, replicasStream(name)] : ["*"];
