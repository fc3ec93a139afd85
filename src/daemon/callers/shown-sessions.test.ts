import assert from "node:assert/strict";
import { test } from "node:test";
import { SessionEntry } from "../sessions/session-entry.ts";
import { ShownSessions } from "./shown-sessions.ts";

const entry = (name: string): SessionEntry =>
  SessionEntry.fresh({ id: name, name, command: ["sh"], workingDirectory: "/" }, "/nowhere");
const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => entry(name)) as [
  SessionEntry,
  SessionEntry,
  SessionEntry,
  SessionEntry,
];

test("a session does not show itself, directly or through others", () => {
  const sessions = new ShownSessions();
  assert.throws(() => sessions.open(a, a), { code: "CONFLICT", message: /inside it and would show itself/ });
  sessions.open(a, b);
  assert.throws(() => sessions.open(b, a), { message: /inside "b", which "a" shows, so/ });
  sessions.open(b, c);
  assert.throws(() => sessions.open(c, a), {
    message: /inside "c", which "a" shows through "b", so .*lectern screen a/,
  });
});

test("what is no circle is allowed: many viewers, a diamond, an edge that has gone", () => {
  const sessions = new ShownSessions();
  const held = sessions.open(a, b);
  const twin = sessions.open(a, b);
  sessions.open(a, c);
  sessions.open(b, d);
  sessions.open(c, d);
  held[Symbol.dispose]();
  assert.throws(() => sessions.open(b, a), { code: "CONFLICT" });
  twin[Symbol.dispose]();
  sessions.open(b, a);
});
