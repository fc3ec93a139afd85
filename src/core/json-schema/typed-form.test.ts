import assert from "node:assert/strict";
import { test } from "node:test";
import { form, mapForm, wordForm, type DataOf, type MapData } from "./typed-form.ts";

test("a form is its schema, and the compiler knows the type of its data", () => {
  const forms = { name: form<string>({ type: "string" }), size: wordForm(["small", "large"]) };
  assert.deepEqual(forms, { name: { type: "string" }, size: { enum: ["small", "large"] } });
  const data: MapData<typeof forms, "name"> = { name: "box" };
  const size: DataOf<typeof forms.size> = "large";
  assert.deepEqual(mapForm(forms, "name"), {
    type: "object",
    additionalProperties: false,
    required: ["name"],
    properties: forms,
  });
  assert.deepEqual({ ...data, size } satisfies typeof data, { name: "box", size: "large" });
});
