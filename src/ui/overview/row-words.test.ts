import assert from "node:assert/strict";
import { test } from "node:test";
import type { Session } from "../../client.ts";
import { rowWords } from "./row-words.ts";

/** Only the fields that are read. */
const blank = {
  degraded: null,
  unreachable: null,
  damaged: null,
  exit: null,
  isImported: false,
  lastMessage: null,
  workingDirectory: "/srv/app",
};

const words = (session: Partial<Session>, question?: string): string =>
  rowWords({
    session: { ...blank, ...session } as Session,
    standing: "quiet",
    sinceMs: undefined,
    activity: [],
    question,
  });

test("a session that cannot be reached is shown as such, with the reason", () => {
  const unreachable = "its pty host (process 7) is alive but stuck";
  assert.equal(words({ unreachable }), `Unreachable: ${unreachable}`);
  assert.equal(words({ unreachable }, "Go on?"), `Unreachable: ${unreachable}`);
});

test("a question comes before damage, damage before the exit, and a plain session shows its directory", () => {
  const exit = { reason: "exited", code: 3, signal: null } as const;
  assert.equal(words({ damaged: "no journal" }, "Go on?"), "Go on?");
  assert.equal(words({ damaged: "no journal", exit }), "no journal");
  assert.equal(words({ exit }), "ended with code 3");
  assert.equal(words({}), "/srv/app");
});
