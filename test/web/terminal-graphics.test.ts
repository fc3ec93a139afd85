/** The terminal drawn by WebGL, and what happens when the browser takes that away. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { until } from "../support/until.ts";
import { typeInto, untilShown, WebHome } from "./web-home.ts";

const web = await WebHome.start({ graphics: true });
after(() => web[Symbol.asyncDispose]());
const { home } = web;

/** Here the processor draws, and the page would rather not use it: it is not told. */
const asIfFast = `{
  const getContext = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, options) {
    return getContext.call(this, kind, { ...options, failIfMajorPerformanceCaveat: false });
  };
}`;

test("a terminal is drawn by WebGL where that is fast, and by the document after the context is lost", async () => {
  await home.ok("run", "-d", "--name", "drawn", "--", "bash", "-c", "stty -echo; echo first; cat");
  const { page, problems } = await web.open("/", {});
  await page.addInitScript(asIfFast);
  await page.goto(`${web.url}/s/drawn`);
  await page.locator(".terminal-status[data-phase=live]").waitFor();
  const canvas = page.locator(".xterm-screen canvas");
  await canvas.first().waitFor({ state: "attached" });
  assert.equal(await page.locator(".xterm-rows").count(), 0);
  // The symbols of agents come in fonts of the page, and only when a program shows one.
  const ownFonts = `[...document.fonts].filter((font) => font.family.includes("Lectern Symbols") && font.status === "loaded").length`;
  assert.equal(await page.evaluate(ownFonts), 0);
  await typeInto(page, "\u23BF \u276F \u23F8 \u23FA\n");
  await until(async () => (await page.evaluate(ownFonts)) === 2);

  await page.evaluate(`for (const canvas of document.querySelectorAll(".xterm-screen canvas")) {
    canvas.getContext("webgl2")?.getExtension("WEBGL_lose_context")?.loseContext();
  }`);
  await untilShown(page, "first");
  await typeInto(page, "second\n");
  await untilShown(page, "second");
  assert.deepEqual(problems, []);
});
