import assert from "node:assert/strict";
import { test } from "node:test";
import { AnswerLinks, type AnswerLinksOptions } from "./answer-links.ts";
import type { AnswerRow } from "../../../daemon/store/notify-schema.ts";

const question = {
  id: "a1",
  text: "Remove all files?",
  details: "",
  options: [
    { id: "y", label: "Yes", effect: "allow" },
    { id: "n", label: "No", effect: "deny" },
  ],
  isWhole: true,
} as const;

function linksWith(changes: Partial<AnswerLinksOptions> = {}): { links: AnswerLinks; answers: string[] } {
  const answers: string[] = [];
  const links = new AnswerLinks(
    {
      store: { putAnswers: async () => undefined },
      answer: async ({ option }: AnswerRow) => void answers.push(option),
      answered: async () => undefined,
      nowMs: () => 0,
      ...changes,
    },
    [],
  );
  return { links, answers };
}

const tokensOf = async (links: AnswerLinks, isWhole = true): Promise<ReadonlyMap<string, string>> =>
  await links.linksFor({ session: "s", digest: "d", question: { ...question, isWhole }, by: "ntfy" });

test("two taps at the same moment answer once", async () => {
  const { answers, links } = linksWith();
  const token = (await tokensOf(links)).get("y") ?? "";
  const pages = await Promise.all([links.use(token), links.use(token)]);
  assert.deepEqual(
    pages.map((page) => page.type === "end" && page.status),
    [200, 409],
  );
  assert.deepEqual(answers, ["y"]);
});

test("a link that has expired answers nothing, also the second time", async () => {
  const clock = { nowMs: 0 };
  const { answers, links } = linksWith({ nowMs: () => clock.nowMs });
  const token = (await tokensOf(links)).get("y") ?? "";
  clock.nowMs = 15 * 60_000;
  for (const status of [410, 409]) {
    const page = await links.use(token);
    assert.deepEqual(page.type === "end" && [page.status, /has expired/.test(page.text)], [status, true]);
  }
  assert.deepEqual(answers, []);
});

test("what is not in the notice in full cannot be allowed by a link, only denied", async () => {
  const { links } = linksWith();
  assert.deepEqual([...(await tokensOf(links, false)).keys()], ["n"]);
});

test("many unknown links are guesses", async () => {
  const { links } = linksWith();
  const pages = await Promise.all(Array.from({ length: 31 }, (_, guess) => links.use(`guess ${guess}`)));
  const statuses = pages.map((page) => page.type === "end" && page.status);
  assert.deepEqual([statuses[0], statuses.at(-1)], [404, 429]);
});
