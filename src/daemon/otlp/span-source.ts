/** Where spans come from: this machine and this version. */
import { hostname } from "node:os";
import { names } from "../../core/otlp/names.ts";
import type { SpanSource } from "../../core/otlp/span.ts";

export const spanSource = (version: string, resource: Readonly<Record<string, string>>): SpanSource => ({
  version,
  resource: { [names.serviceVersion]: version, [names.hostName]: hostname(), ...resource },
});
