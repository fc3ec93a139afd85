/** Spans for a collector of OpenTelemetry. */
import { urlProblems } from "../../notify/core/read-settings.ts";
import { configKey, flag } from "../../../core/config/config-key.ts";

const PAIRS_MAX = 64;

/** Texts by name. */
const pairs = ({ isSecret, summary }: { readonly isSecret: boolean; readonly summary: string }) =>
  configKey<Readonly<Record<string, string>>>({
    type: "map of texts",
    default: {},
    needsRestart: true,
    schema: {
      type: "object",
      maxProperties: PAIRS_MAX,
      additionalProperties: { type: "string", maxLength: 4096 },
      ...(isSecret && { writeOnly: true }),
    },
    summary,
  });

export const otlp = {
  summary: "Spans for a collector of OpenTelemetry, see [metrics](metrics.md); variables `OTEL_*` of the daemon win.",
  keys: {
    enabled: flag({
      default: false,
      needsRestart: true,
      summary: "Send spans; the variable `LECTERN_OTLP` wins, which is `on` or `off`.",
    }),
    endpoint: configKey<string | undefined>({
      type: "address",
      default: undefined,
      schema: { type: "string", minLength: 1, maxLength: 2048 },
      problems: (data) => urlProblems(String(data), { like: "http://127.0.0.1:4318" }),
      needsRestart: true,
      summary: "Base address of the collector, to which `/v1/traces` is added; default: `http://127.0.0.1:4318`.",
    }),
    headers: pairs({ isSecret: true, summary: "Headers of each request, such as the key of the collector." }),
    resource: pairs({ isSecret: false, summary: "Attributes of the resource, beside `service.name`." }),
    content: flag({
      default: false,
      needsRestart: true,
      summary: "Send texts of prompts, answers, calls and commands, too; secrets with a known form are masked.",
    }),
  },
};
