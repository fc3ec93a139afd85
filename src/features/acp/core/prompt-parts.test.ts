import assert from "node:assert/strict";
import { test } from "node:test";
import { promptParts } from "./prompt-parts.ts";

test("text is typed, a link is a path, and what is embedded is a file", () => {
  assert.deepEqual(
    promptParts([
      { type: "text", text: "look at" },
      { type: "resource_link", uri: "file:///a%20b/x.ts" },
      { type: "resource_link", uri: "https://example.com/x" },
      { type: "image", data: "aGk=", mimeType: "image/x-png" },
      { type: "resource", resource: { uri: "file:///src/main.ts", text: "let x" } },
      { type: "resource", resource: { uri: "blob:", blob: "aGk=" } },
    ]),
    [
      { type: "text", text: "look at" },
      { type: "text", text: "/a b/x.ts" },
      { type: "text", text: "https://example.com/x" },
      { type: "file", name: "image-4.png", data: "aGk=", isText: false },
      { type: "file", name: "main.ts", data: "let x", isText: true },
      { type: "file", name: "blob:", data: "aGk=", isText: false },
    ],
  );
});

test("an address that cannot be decoded is left as it is", () => {
  assert.deepEqual(promptParts([{ type: "resource_link", uri: "file:///100%" }]), [{ type: "text", text: "/100%" }]);
});
