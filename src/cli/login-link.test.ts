import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { qrLines } from "./login-link.ts";

test("a QR code has a light border and the dark corner of a finder pattern, whatever the colours of the terminal", async () => {
  const lines = await qrLines("https://box.example:7433/login#code");
  // Light modules are the foreground: white.
  for (const line of lines) assert.ok(line.startsWith("\u001b[97;40m") && line.endsWith("\u001b[0m"));
  const rows = lines.map((line) => stripVTControlCharacters(line));
  assert.match(rows[0] ?? "", /^█+$/);
  assert.match(rows[1] ?? "", /^██ ▄▄▄▄▄ █/);
});
