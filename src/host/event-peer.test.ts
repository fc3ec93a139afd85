import assert from "node:assert/strict";
import { test } from "node:test";
import { judgePeer, type EventPeer } from "./event-peer.ts";

const claim = { session: "s1", pid: 100, uid: 1000, hasNonce: false };
const peer = (more: Partial<EventPeer>): EventPeer => ({
  pid: 300,
  uid: 1000,
  leader: 300,
  ancestors: [],
  tag: undefined,
  ...more,
});
const trustOf = (who: EventPeer | undefined, hasNonce = false): string =>
  judgePeer(who, { ...claim, hasNonce }) ?? "refused";

test("a process of the kernel's session and a descendant of the program are of the session", () => {
  assert.equal(trustOf(peer({ leader: 100 })), "socket");
  assert.equal(trustOf(peer({ ancestors: [250, 100, 7] })), "socket");
});

test("a process that only its environment names is worth the nonce that it says", () => {
  assert.equal(trustOf(peer({ tag: "s1" })), "unverified");
  assert.equal(trustOf(peer({ tag: "s1" }), true), "nonce");
});

test("somebody else is refused, with the nonce too", () => {
  assert.equal(trustOf(peer({}), true), "refused");
  assert.equal(trustOf(peer({ tag: "s2" }), true), "refused");
  assert.equal(trustOf(peer({ uid: 1001, leader: 100 }), true), "refused");
});

test("where nobody can say who it was, the nonce decides", () => {
  assert.equal(trustOf(undefined), "unverified");
  assert.equal(trustOf(undefined, true), "nonce");
  assert.equal(trustOf(peer({ leader: undefined })), "unverified");
});
