/** Runs a scripted model until it is ended: `node test/support/scripted-model/main.ts SCENARIO.json` prints its address. */
import { readFileSync } from "node:fs";
import type { Scenario } from "./scenario.ts";
import { ScriptedModel } from "./scripted-model.ts";

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("Name a scenario file");
const model = await ScriptedModel.start(JSON.parse(readFileSync(file, "utf8")) as Scenario);
console.log(model.url);
