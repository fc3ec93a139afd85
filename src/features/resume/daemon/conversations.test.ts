import assert from "node:assert/strict";
import { test } from "node:test";
import type { Receipt } from "../../../core/acting/receipt.ts";
import type { SessionEntry } from "../../../daemon/sessions/session-entry.ts";
import type { SessionViews } from "../../../daemon/views/session-views.ts";
import { conversationPlace, isOfAnother } from "./conversations.ts";

const entry = {
  id: "s",
  stored: { workingDirectory: "/w", createdAt: "2026-11-29T00:00:00Z", pid: 1 },
} as SessionEntry;

/** Views that have read these prompts. */
const viewsOf = (...texts: string[]): SessionViews =>
  ({
    use: async (_: SessionEntry, act: () => unknown) => await act(),
    store: {
      list: () =>
        texts.map((text, index) => ({
          kind: "message",
          offset: index,
          timeUs: 0,
          message: { id: `m${index + 1}`, role: "user", text, timeUs: 5000 },
        })),
    },
  }) as unknown as SessionViews;

const typed = [
  { text: "never entered", steps: [{ state: "typed", timeUs: 1000, offset: 0 }] },
  { text: "entered", steps: [{ state: "submitted", timeUs: 2000, offset: 0 }] },
] as unknown as Receipt[];

test("a conversation is looked for by the prompts on the screen, and where it shows none by those that were typed for others", async () => {
  const prompts = async (...texts: string[]) =>
    await conversationPlace(entry, { typed, variables: {}, views: viewsOf(...texts) }).prompts();
  assert.deepEqual(await prompts("shown"), [{ text: "shown", timeMs: 5 }]);
  assert.deepEqual(await prompts(), [{ text: "entered", timeMs: 2 }]);
});

test("a session in a conversation does not take that of another one that was told the same", () => {
  const inside = (id: string, live = true) => ({ live, stored: { conversation: { id } } }) as unknown as SessionEntry;
  const [own, other] = [inside("a"), inside("b")];
  const found = { id: "b", by: "prompts" } as const;
  assert.ok(isOfAnother(found, own, [own, other]));
  assert.ok(!isOfAnother(found, own, [own, inside("b", false)]));
  assert.ok(!isOfAnother({ id: "c", by: "prompts" }, own, [own, other]));
  assert.ok(!isOfAnother({ id: "b", by: "process" }, own, [own, other]));
  assert.ok(!isOfAnother(found, other, [own, other]));
  assert.ok(!isOfAnother(found, entry, [own, other]));
});
