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
  status: null,
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

test("a limit of usage comes before the last message, with its local time", () => {
  const now = new Date(2026, 10, 26, 9, 30).getTime();
  const limit = { untilUs: new Date(2026, 10, 26, 14, 0).getTime() * 1000, text: "You've hit your limit" };
  const status = { state: "waiting", summary: "", sinceUs: 0, agent: "claude", limit } as const;
  const lastMessage = { role: "assistant", text: "done", timeUs: 0 } as const;
  const view = { standing: "waiting", sinceMs: undefined, activity: [] } as const;
  assert.equal(
    rowWords({ ...view, session: { ...blank, status, lastMessage } as unknown as Session }, now),
    "limit until 14:00",
  );
});
