/** A process that appends rows to an audit log, says so, and waits to be killed: `audit-writer.ts DIRECTORY ROWS`. */
import type { AuditRow } from "../../src/core/gate/audit-chain.ts";
import { AuditStore } from "../../src/daemon/audit/audit-store.ts";

const [, , directory = "", rows = "[]"] = process.argv;
const store = await AuditStore.open(directory);
for (const row of JSON.parse(rows) as AuditRow[]) await store.append([row]);
console.log("appended");
setInterval(() => {}, 1000);
