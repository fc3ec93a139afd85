/** The text on the live tiles of the overview, as it is painted: readable in both themes, whatever colours a program has chosen. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { contrast, mixRgb, type Rgb } from "../../src/ui/terminal/contrast.ts";
import { WebHome } from "./web-home.ts";
import { until } from "../support/until.ts";

const web = await WebHome.shared();

/** Every colour of the palette as text and as ground, plain, dim and inverse, and true colours. */
const colours =
  'for i in $(seq 0 255); do printf "\\033[38;5;${i}mA\\033[2mB\\033[0;48;5;${i}mC\\033[7mD\\033[0m"; done; ' +
  'printf "\\033[38;2;250;250;240mE\\033[48;2;250;250;250mF\\033[38;2;20;20;20;48;2;25;25;25mG\\033[0mend"; cat';

/** Notes the colours of each text at the moment when a canvas paints it, and of what was filled there before. */
const watchPainting = `{
  const { fillText, fillRect } = CanvasRenderingContext2D.prototype;
  const filled = new WeakMap();
  globalThis.painted = [];
  CanvasRenderingContext2D.prototype.fillRect = function (...at) {
    const isAll = at[0] === 0 && at[1] === 0 && at[2] === this.canvas.width;
    filled.set(this, [...(isAll ? [] : filled.get(this) ?? []), { at, style: this.fillStyle }]);
    fillRect.apply(this, at);
  };
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    const rects = filled.get(this) ?? [];
    const under = rects.findLast(({ at }) => x + 1 >= at[0] && x + 1 < at[0] + at[2] && y >= at[1] && y < at[1] + at[3]);
    const ground = under?.style;
    if (globalThis.painted.length < 50000) globalThis.painted.push({ text: this.fillStyle, alpha: this.globalAlpha, ground });
    fillText.apply(this, [text, x, y]);
  };
}`;

interface Painted {
  readonly text: string;
  readonly ground: string | undefined;
  readonly alpha: number;
}

const parse = (style: string): Rgb => {
  const value = Number.parseInt(style.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
};

async function lowestContrast(page: Page): Promise<number> {
  await page.evaluate("painted.length = 0");
  await web.home.ok("send", "colours", "more", "--enter");
  await until(async () => (await page.evaluate<number>("painted.length")) > 800, "the tile is painted");
  const painted = await page.evaluate<readonly Painted[]>("painted");
  return Math.min(
    ...painted.map(({ text, ground, alpha }) => {
      assert.ok(ground !== undefined);
      return contrast(mixRgb(parse(text), parse(ground), alpha), parse(ground));
    }),
  );
}

test("the text of live tiles has a contrast of at least 4.5 in both themes", async () => {
  await web.home.ok("run", "-d", "--name", "colours", "--", "bash", "-c", colours);
  for (const colorScheme of ["light", "dark"] as const) {
    const { page } = await web.open("/approvals", { colorScheme });
    await page.addInitScript(watchPainting);
    await page.goto(web.url);
    await page.getByRole("button", { name: "Live screens" }).click();
    await until(async () => (await page.evaluate<number>("painted.length")) > 0, "the tile is painted");
    const lowest = await lowestContrast(page);
    assert.ok(lowest >= 4.5, `${colorScheme}: ${lowest}`);
    await page.context().close();
  }
});
