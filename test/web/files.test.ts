/** Files on the page: pasted, dropped and chosen; their paths stand in the prompt box and in the terminal. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { until } from "../support/until.ts";
import { allFaults, wide } from "./page-faults.ts";
import { untilShown, WebHome } from "./web-home.ts";

const web = await WebHome.shared();
const { home } = web;
await home.ok("run", "-d", "--name", "taker", "--", "bash", "--norc", "--noprofile");

/** As the browser does when a person pastes or drops a file. */
const give = async (page: Page, selector: string, type: "paste" | "drop"): Promise<void> =>
  await page.evaluate(
    `(() => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.of(137, 80, 78, 71)], "image.png", { type: "image/png" }));
      const event = ${JSON.stringify(type)} === "paste"
        ? new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })
        : new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
      document.querySelector(${JSON.stringify(selector)}).dispatchEvent(event);
    })()`,
  );

test("a picture that is pasted, dropped or chosen becomes a file, and its path stands at the caret", async () => {
  const { page, problems } = await web.open("/s/taker/chat", { viewport: wide });
  const box = page.getByLabel("Write to taker");
  await box.fill("Look at: please");
  await box.evaluate((element) =>
    (element as unknown as { setSelectionRange(a: number, b: number): void }).setSelectionRange(8, 8),
  );
  await give(page, ".prompt textarea", "paste");
  await until(async () => /^Look at: \/.*\/files\/image\.png {2}please$/.test(await box.inputValue()));
  const path = (await box.inputValue()).slice("Look at: ".length).split(" ")[0] ?? "";
  assert.deepEqual([...readFileSync(path)], [137, 80, 78, 71]);
  await give(page, ".prompt textarea", "drop");
  await until(async () => (await box.inputValue()).includes("/files/image-2.png"));
  await page
    .getByLabel("Add files")
    .setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("x") });
  await until(async () => (await box.inputValue()).includes("/files/notes.txt"));
  assert.deepEqual(await allFaults(page), []);
  const large = join(home.directory, "large.bin");
  writeFileSync(large, Buffer.alloc(51 * 1024 * 1024));
  await page.getByLabel("Add files").setInputFiles(large);
  await page.getByText("at most 50 MB").waitFor();
  assert.deepEqual(problems, []);
});

test("a file that is dropped on the terminal is pasted there as its path, and Enter is not pressed", async () => {
  const { page } = await web.open("/s/taker");
  await untilShown(page, "$");
  await give(page, ".terminal-host", "drop");
  await untilShown(page, "image-3.png");
});
