import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf } from "../../../test/frames.ts";
import { wireTurn } from "../../../test/marks.ts";
import { builtInAgents } from "../agents/built-in-agents.ts";
import { limitNoticeOf, type LimitNotice } from "./limit-notice.ts";
import { ScreenFacts } from "./screen-facts.ts";

/** Thursday, 26 November 2026, 01:19 UTC. */
const timeUs = Date.UTC(2026, 10, 26, 1, 19) * 1000;
const rule = "─".repeat(80);
const until = (iso: string): number => Date.parse(iso) * 1000;

function read(agent: string, text: string, timeZone: string | null = null): LimitNotice | null | undefined {
  const profile = builtInAgents.named(agent);
  const frame = frameOf(text, { isCursorHidden: true, timeUs, columns: 110 });
  const screen = new ScreenFacts(frame, { profile, verdict: null, prompt: null, isAtShellPrompt: false });
  return limitNoticeOf({ type: "frame" }, { screen, timeUs, timeZone });
}

const claude = (above: string, footer = "  ⏸ manual mode on · ? for shortcuts"): string =>
  `❯ Say hello\n${above}\n\n${" ".repeat(70)}◐ medium · /effort\n${rule}\n❯ \n${rule}\n${footer}`;
const hit = "  ⎿  You've hit your limit · resets 5:19am (Europe/Berlin)";
const automatic = "● Usage limit reached · set to continue automatically at 5:19am";

test("the notice of Claude Code, as the real one shows it", () => {
  assert.equal(read("claude", claude(`${hit}\n\n${automatic}`))?.untilUs, until("2026-11-26T04:19Z"));
  assert.equal(
    read("claude", claude(hit))?.text,
    "⎿ You've hit your limit · resets 5:19am (Europe/Berlin) ◐ medium · /effort",
  );
  const weekly = "  ⎿  You've hit your weekly limit · resets Nov 30, 3pm (Europe/Berlin)";
  assert.equal(read("claude", claude(weekly))?.untilUs, until("2026-11-30T14:00Z"));
  const footer =
    "  ⚠ Usage limit reached · limit resets 5:19am\n    Continuing automatically at 5:19am · Esc to cancel";
  assert.equal(read("claude", claude("● hi", footer), "Europe/Berlin")?.untilUs, until("2026-11-26T04:19Z"));
  assert.equal(read("claude", claude("● hi", footer))?.untilUs, null);
});

test("the same words in a file, an answer or a prompt are not a notice", () => {
  assert.equal(read("claude", claude(`${hit}\n\n● That is in the file.`)), null);
  assert.equal(read("claude", claude("● You've hit your limit · resets 5:19am (Europe/Berlin)")), null);
  assert.equal(read("claude", `${hit}\n\n  a screen without its box`), undefined);
  const box = "\n\n› Ask Codex to do anything\n\n  gpt-5 default";
  assert.equal(read("codex", `• ■ You’ve hit your usage limit. Try again at 5:19 AM.${box}`), null);
  assert.equal(read("codex", `■ You’ve hit your usage limit, or try again at 5:19 AM.\n\n• Fine again.${box}`), null);
});

test("the notice of Codex, whose time is that of its time zone", () => {
  const text =
    "■ You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/\n" +
    "settings/usage to purchase more credits or try again at 5:19 AM.\n\n\n› Ask Codex to do anything\n\n  gpt-5 default · ~/work";
  assert.equal(read("codex", text, "Europe/Berlin")?.untilUs, until("2026-11-26T04:19Z"));
  assert.equal(read("codex", text)?.untilUs, null);
  assert.equal(read("codex", text.replace(" or try again at 5:19 AM.", "."), "Europe/Berlin")?.untilUs, null);
});

test("the dialog of Gemini CLI", () => {
  const row = (text: string): string => `│ ${text.padEnd(76)} │`;
  const dialog = (...rows: readonly string[]): string =>
    [`╭${"─".repeat(78)}╮`, row(""), ...rows.map(row), row(""), `╰${"─".repeat(78)}╯`].join("\n");
  const limit = "Usage limit reached for all Pro models.";
  const options = ["/stats model for usage details", "/model to switch models.", "", "● 1. Keep trying", "  2. Stop"];
  assert.equal(read("gemini", dialog(limit, ...options))?.untilUs, null);
  const ends = "Access resets at 3:00 AM UTC.";
  assert.equal(read("gemini", dialog(limit, ends, ...options))?.untilUs, until("2026-11-26T03:00Z"));
});

test("the end of an exchange has the limit that the model server reported", () => {
  const turn = (change: object): LimitNotice | null | undefined =>
    limitNoticeOf({ type: "mark", mark: wireTurn(change) }, { screen: null, timeUs, timeZone: null });
  const error = { type: "rate_limit_error", message: "Too much" };
  assert.deepEqual(turn({ status: 429, error, limit: { untilUs: 7 } }), {
    source: "wire",
    text: "Too much",
    untilUs: 7,
  });
  assert.equal(turn({ status: 429, error }), undefined);
  assert.equal(turn({ status: 200, error: null }), null);
});
