/** What axe-core finds on a page: nothing serious, nothing critical; and what is out of place. */
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { hasAllSizes, misplacedOn } from "./page-geometry.ts";

const narrow = { width: 360, height: 740 };
export const wide = { width: 1200, height: 800 };

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What a rule finds is as bad as the rule says: those that are never serious need not run, which is half of the time. */
const MINOR_OFF = `() => Object.fromEntries(
  axe._audit.rules.filter(({ impact }) => impact === "minor" || impact === "moderate").map(({ id }) => [id, { enabled: false }]),
)`;

/** `rule: element` of what is serious or critical; with `rule` only that one is looked at, which is much quicker. */
async function faults(page: Page, rule?: string): Promise<string[]> {
  // Letters of a program have the program's colours, which the terminal makes readable as far as it can.
  const options = { resultTypes: ["violations"], selectors: false, ...(rule === undefined ? {} : { runOnly: [rule] }) };
  const run = `axe.run({ exclude: [[".xterm"]] }, { ...${JSON.stringify(options)}, rules: (${MINOR_OFF})() })`;
  const { violations } = await page.evaluate<AxeResults>(run);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** In light colours, and 360 pixels wide in dark ones; then where everything is, at each width. */
export async function allFaults(page: Page): Promise<string[]> {
  // Not by a script element: the policy of the page allows none.
  if (await page.evaluate("globalThis.axe === undefined")) await page.evaluate(axe);
  const found = await faults(page);
  await page.emulateMedia({ colorScheme: "dark" });
  if (hasAllSizes) found.push(...(await faults(page, "color-contrast")).map((fault) => `dark, ${fault}`));
  await page.setViewportSize(narrow);
  found.push(...(await faults(page)).map((fault) => `360 pixels wide and dark, ${fault}`));
  found.push(...(await misplacedOn(page, { isTouch: true })).map((fault) => `dark, ${fault}`));
  await page.setViewportSize(wide);
  await page.emulateMedia({ colorScheme: "light" });
  found.push(...(await misplacedOn(page, { isTouch: false })));
  await page.setViewportSize(wide);
  return found;
}
