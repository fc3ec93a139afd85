import assert from "node:assert/strict";
import { test } from "node:test";
import { discordBody, slackBody } from "./chat-format.ts";
import { testNotice } from "./notice.ts";

const notice = {
  ...testNotice("box", 1000),
  title: "<!channel> & *x*",
  body: "```\n@everyone <https://evil.example>",
  id: "msg_1",
  url: "https://x.example/",
  question: null,
};

test("a text for Slack mentions nobody", () => {
  const { blocks, text } = JSON.parse(slackBody(notice)) as {
    text: string;
    blocks: { text: { type: string; text: string } }[];
  };
  assert.equal(text, "&lt;!channel&gt; &amp; *x*");
  assert.match(blocks[0]?.text.text ?? "", /<https:\/\/x\.example\/\|Open>$/);
  assert.equal(blocks[1]?.text.type, "plain_text");
});

test("a text for Discord mentions nobody and does not leave its block", () => {
  const { allowed_mentions: mentions, content } = JSON.parse(
    discordBody({ ...notice, body: `${notice.body}${"x".repeat(3000)}` }),
  ) as {
    content: string;
    allowed_mentions: unknown;
  };
  assert.deepEqual(mentions, { parse: [] });
  assert.ok(content.length <= 2000);
  assert.equal(content.split("```").length, 3);
});
