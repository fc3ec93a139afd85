/** Spans of sessions for a collector of OpenTelemetry, as they come or as a file. */
import { join } from "node:path";
import type { FeatureDaemon } from "../../daemon/operations/daemon-features.ts";
import type { Feature } from "../feature.ts";
import type { OtlpExporter } from "./daemon/otlp-exporter.ts";

export const otlpFeature: Feature = {
  name: "otlp",
  sessionParts: () => [
    {
      name: "trace parent",
      begin: async ({ entry, input }) => {
        const parent = input.environment?.["TRACEPARENT"];
        if (parent !== undefined) (await import("./daemon/position-file.ts")).keepTraceParent(entry.directory, parent);
      },
    },
  ],
  open: (daemon) => {
    let exporter: OtlpExporter | undefined;
    return {
      exports: {
        async *"otlp-json"(entry, options) {
          const { exportSpans } = await import("./daemon/export-spans.ts");
          yield* exportSpans(entry, { ...options, views: daemon.views, version: daemon.version });
        },
      },
      start: async () => {
        exporter = await startExporter(daemon);
      },
      close: async () => await exporter?.[Symbol.asyncDispose](),
    };
  },
};

/** What is wrong with the settings is a problem of the daemon, which starts without an export. */
async function startExporter(daemon: FeatureDaemon): Promise<OtlpExporter | undefined> {
  const { config, environment, paths, problems } = daemon;
  if (environment["LECTERN_OTLP"] === undefined && !config.get("otlp").enabled) return undefined;
  const { readOtlpSettings } = await import("./core/otlp-settings.ts");
  try {
    const settings = readOtlpSettings(environment, config.get("otlp"));
    if (settings === null) return undefined;
    const { OtlpExporter: Exporter } = await import("./daemon/otlp-exporter.ts");
    const stateFile = join(paths.dataDirectory, "otlp.json");
    return new Exporter({ ...daemon, metrics: daemon.metrics.set, settings, stateFile });
  } catch (error) {
    problems.set("OTLP export", error instanceof Error ? error.message : String(error));
    return undefined;
  }
}
