// Writes schemas/*.schema.json from the definitions in src/core/gate/policy-schema.ts. Run after changing them.
import { writeFileSync } from "node:fs";
import { policyCasesSchema, policySchema } from "../src/core/gate/policy-schema.ts";

const print = (name, schema) =>
  writeFileSync(new URL(`../schemas/${name}.schema.json`, import.meta.url), `${JSON.stringify(schema, null, 2)}\n`);

print("policy", policySchema);
print("policy-cases", policyCasesSchema);
