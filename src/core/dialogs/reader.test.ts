import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInAgents } from "../agents/built-in-agents.ts";
import { whyUnread, type ReaderContext } from "./reader.ts";

const context = (more: Partial<ReaderContext>): ReaderContext => ({
  profile: undefined,
  verdict: "prompt",
  program: "ask",
  isAtShellPrompt: false,
  ...more,
});

test("the kernel has to report that an unknown program reads", () => {
  const verdicts = [
    "prompt",
    "password",
    "raw",
    "listening",
    "busy",
    "stopped",
    "unknown",
    "not-available",
    null,
  ] as const;
  assert.deepEqual(
    verdicts.filter((verdict) => whyUnread("line", context({ verdict })) === null),
    ["prompt", "password", "raw", "listening"],
  );
  assert.match(whyUnread("list", context({ isRelay: true })) ?? "", /hands keys/);
  assert.match(whyUnread("line", context({ isAtShellPrompt: true })) ?? "", /next command/);
});

test("a dialog of a known agent is read, unless it is stopped or only its words are known", () => {
  const profile = builtInAgents.named("claude");
  assert.equal(whyUnread("list", context({ profile, verdict: "busy" })), null);
  assert.match(whyUnread("list", context({ profile, verdict: "stopped" })) ?? "", /stopped/);
  assert.match(whyUnread("list", context({ profile, verdict: "busy", isGuessed: true })) ?? "", /busy/);
  assert.match(whyUnread("line", context({ profile, verdict: null })) ?? "", /not known/);
});
