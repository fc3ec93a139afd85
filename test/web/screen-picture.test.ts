/** The pictures of `screen --svg` and `export --format svg`, as a browser draws them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { drawSvg } from "../../src/core/screen/draw-svg.ts";
import { Screen } from "../../src/core/screen/screen.ts";
import { WebHome } from "./web-home.ts";

const web = await WebHome.shared();

/** The places that the image asks for each character, and those that the browser gives it. */
const placesOf = `[...document.querySelectorAll("text")].map((element) => ({
  text: element.textContent,
  wanted: element.getAttribute("x").split(" ").map(Number),
  drawn: Array.from({ length: element.getNumberOfChars() }, (_, at) => element.getStartPositionOfChar(at).x),
}))`;

test("each character of a picture stands in its cell, also behind several blanks", async () => {
  const screen = new Screen({ columns: 40, rows: 2 });
  screen.feed(new TextEncoder().encode("NAME   STATE    COMMAND\r\nfix    running  a  b   c"));
  const { page } = await web.open("/");
  await page.goto(`data:image/svg+xml;base64,${Buffer.from(drawSvg(screen)).toString("base64")}`);
  const places = (await page.evaluate(placesOf)) as readonly { text: string; wanted: number[]; drawn: number[] }[];
  assert.deepEqual(
    places.map(({ text, drawn }) => ({ text, drawn })),
    places.map(({ text, wanted }) => ({ text, drawn: wanted })),
  );
  assert.deepEqual(
    places.map(({ text }) => text),
    ["NAME   STATE    COMMAND", "fix    running  a  b   c"],
  );
});
