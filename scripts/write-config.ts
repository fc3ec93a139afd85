/** Writes `schemas/config.schema.json` and the tables of docs/configuration.md from the sections in src/core/config. Run after changing them. */
import { readFileSync, writeFileSync } from "node:fs";
import { configSchema } from "../src/core/config/config-schema.ts";
import { configSections } from "../src/core/config/sections.ts";
import { configTable } from "./config-table.ts";

const schemaFile = new URL("../schemas/config.schema.json", import.meta.url);
writeFileSync(schemaFile, `${JSON.stringify(configSchema(configSections), null, 2)}\n`);

const page = new URL("../docs/configuration.md", import.meta.url);
const [before = "", , after = ""] = readFileSync(page, "utf8").split(/^<!-- keys: .*-->$/m);
const marks = ["<!-- keys: written by scripts/write-config.ts -->", "<!-- keys: end -->"];
writeFileSync(page, `${before}${marks[0]}\n\n${configTable(configSections)}\n${marks[1]}${after}`);
