/**
 * A process that appends rows to an audit log, says so after each, and waits to be killed:
 * `audit-writer.ts DIRECTORY ROWS [SEGMENT_BYTES_MAX]`.
 */
import type { AuditRow } from "../../src/core/gate/audit-chain.ts";
import { AuditStore } from "../../src/daemon/audit/audit-store.ts";

const [, , directory = "", rows = "[]", segmentBytesMax] = process.argv;
const store = await AuditStore.open(directory, segmentBytesMax ? { segmentBytesMax: Number(segmentBytesMax) } : {});
for (const row of JSON.parse(rows) as AuditRow[]) {
  await store.append([row]);
  console.log("appended");
}
setInterval(() => {}, 1000);
