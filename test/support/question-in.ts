/** Questions that wait for a person, as a test waits for them. */
import assert from "node:assert/strict";
import type { LecternClient } from "../../src/client/client.ts";
import type { SessionApproval } from "../../src/protocol/views.ts";
import { until } from "./until.ts";

/** The oldest question, once there is one. The version of the list grows with what else happens, too. */
export async function questionIn(client: LecternClient): Promise<SessionApproval> {
  let question: SessionApproval | undefined;
  await until(async () => {
    [question] = (await client.call("approvals.list", {})).approvals;
    return question !== undefined;
  }, "a question");
  assert.ok(question);
  return question;
}
