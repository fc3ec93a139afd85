/** Records real agents: `node test/agents/record/main.ts FOLDER AGENT PLAN COLUMNSxROWS ...` writes a recording and its truth each. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { recordAgent } from "./record-agent.ts";

const [folder, agent, plan, ...sizes] = process.argv.slice(2);
if (folder === undefined || agent === undefined || plan === undefined || sizes.length === 0)
  throw new Error("Name a folder, an agent, a plan and a size such as 120x40");
mkdirSync(folder, { recursive: true });
for (const size of sizes) {
  const [columns = 80, rows = 24] = size.split("x").map(Number);
  const { cast, truth } = await recordAgent(agent, plan, { columns, rows });
  const path = join(folder, `${agent}-${plan}-${size}`);
  writeFileSync(`${path}.cast.gz`, gzipSync(cast, { level: 9 }));
  writeFileSync(`${path}.json`, `${JSON.stringify(truth, null, 1)}\n`);
  const { failed, duration } = truth as { failed: string | null; duration: number };
  console.log(`${path} ${duration.toFixed(0)} s ${failed ?? "whole"}`);
}
