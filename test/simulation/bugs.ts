/** Errors that the simulated shell makes on purpose: the simulation has to find each. */
export const bugs = {
  "no-tail-check": "an idle replica is never compared",
  "no-expected-sequence": "messages are published without a condition",
  "publish-before-disk": "what is written but not durable is published",
  "trust-own-memory": "after a reconnect the replica is taken for what was acknowledged",
  "ack-lost": "a lost acknowledgement is waited for without an end",
  "assume-stored": "a publish without an answer is taken for stored, and never compared",
  "no-verify": "the bytes of a replica that was found are not compared with the journal",
  "trust-sequence": "a reader concatenates messages in the order of their sequences",
  "viewer-skips-gap": "a viewer does not record a gap that it was sent",
  "tunnel-without-sequence": "frames of a tunnel are not numbered",
  "close-without-1006": "a tunnel that breaks is reported as closed normally",
  "no-heartbeat": "a tunnel has no heartbeat and no limit of silence",
  "no-window": "a tunnel sends without credit",
  "stored-heartbeats": "the last stored heartbeat counts as a sign of life",
  "machine-clock": "presence uses the clock of the machine",
} as const;

export type Bug = keyof typeof bugs;

export const bugNames = Object.keys(bugs) as Bug[];
