import assert from "node:assert/strict";
import { test } from "node:test";
import type { LecternClient } from "../client/client.ts";
import { LecternError } from "../core/errors.ts";
import { askAgain } from "./ask-again.ts";

const { signal } = new AbortController();
const away = new LecternError("DAEMON_UNREACHABLE", "Cannot reach the daemon");

/** Asks with these outcomes one after the other; the last one stays. Counts the clients that were made. */
async function ask(...outcomes: (string | LecternError)[]): Promise<readonly [string, number]> {
  let clients = 0;
  const client = async (): Promise<LecternClient> => {
    clients += 1;
    return {} as LecternClient;
  };
  const answer = await askAgain({ client, signal }, async () => {
    const outcome = outcomes[Math.min(clients, outcomes.length) - 1];
    if (outcome instanceof LecternError) throw outcome;
    return outcome ?? "";
  }).catch((error: LecternError) => error.code);
  return [answer, clients];
}

test("a question is put to the next daemon where one went away, and not for ever", async () => {
  assert.deepEqual(await ask("answer"), ["answer", 1]);
  assert.deepEqual(await ask(away, away, "answer"), ["answer", 3]);
  assert.deepEqual(await ask(new LecternError("DRAINING", "The daemon is shutting down"), "answer"), ["answer", 2]);
  assert.deepEqual(await ask(away), ["DAEMON_UNREACHABLE", 5]);
});

test("what a daemon answers, also an error, is the answer", async () => {
  assert.deepEqual(await ask(new LecternError("SESSION_NOT_FOUND", "Cannot find it")), ["SESSION_NOT_FOUND", 1]);
});
