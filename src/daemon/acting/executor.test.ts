import assert from "node:assert/strict";
import { test } from "node:test";
import type { ActStep } from "../../core/acting/plan.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import { actIn } from "./executor.ts";

test("a step that needs a proof is not typed where nobody looks for one", async () => {
  const typed: number[] = [];
  const input = async (bytes: Uint8Array): Promise<object> => ({ offset: 0, next: typed.push(...bytes) });
  const entry = { input } as unknown as SessionEntry;
  const text: ActStep = { bytes: Uint8Array.of(0x79), proof: "planned" };
  const enter: ActStep = { bytes: Uint8Array.of(0x0d), proof: "shown" };
  assert.deepEqual(await actIn(entry, { target: null, steps: [text, enter] }), { unseen: enter });
  assert.deepEqual(typed, [0x79]);
});
