/** The thread of the audit log. */
import { serve } from "../store/serve.ts";
import { AuditRows, type AuditSettings } from "./audit-rows.ts";

const parts = { log: (settings: AuditSettings) => new AuditRows(settings) };

export type AuditParts = typeof parts;

serve(parts);
