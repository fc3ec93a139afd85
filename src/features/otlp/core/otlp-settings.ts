/**
 * Where spans are sent, from the configuration and from the variables of OpenTelemetry
 * (https://opentelemetry.io/docs/specs/otel/protocol/exporter/).
 */
import { LecternError } from "../../../core/errors.ts";
import { names } from "./names.ts";

export interface OtlpSettings {
  /** The address that takes traces. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Readonly<Record<string, string>>;
  /** Texts of prompts, answers, calls and commands are sent, with secrets masked. */
  readonly content: boolean;
  /** A request that takes longer is sent again. */
  readonly timeoutMs: number;
}

export interface OtlpConfiguration {
  readonly enabled?: boolean | undefined;
  /** Base address, to which `/v1/traces` is added. */
  readonly endpoint?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly resource?: Readonly<Record<string, string>> | undefined;
  readonly content?: boolean | undefined;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Where a collector of this machine listens. */
const DEFAULT_ENDPOINT = "http://127.0.0.1:4318";
const TIMEOUT_MS = 10_000;
const TIMEOUT_MS_MAX = 60_000;

/**
 * Null if nothing is sent, which is the default: variables that other programs use do not start it. The configuration or `LECTERN_OTLP=on`
 * does, and `OTEL_SDK_DISABLED=true` stops it. Variables win over the configuration. Throws `INVALID_INPUT`.
 */
export function readOtlpSettings(variables: Variables, configuration: OtlpConfiguration = {}): OtlpSettings | null {
  const wanted = variables["LECTERN_OTLP"];
  if (wanted !== undefined && wanted !== "" && wanted !== "on" && wanted !== "off")
    throw new LecternError("INVALID_INPUT", `Cannot read LECTERN_OTLP "${wanted}": wanted "on" or "off"`);
  const isOn = wanted === "on" || (wanted !== "off" && configuration.enabled === true);
  if (!isOn || variables["OTEL_SDK_DISABLED"]?.toLowerCase() === "true") return null;
  const protocol = of(variables, "PROTOCOL") ?? "http/json";
  if (!protocol.startsWith("http/")) {
    const message = `Cannot send spans over "${protocol}": only OTLP over HTTP with JSON is supported; unset OTEL_EXPORTER_OTLP_PROTOCOL and use the HTTP port of the collector, mostly 4318`;
    throw new LecternError("INVALID_INPUT", message);
  }
  const { content = false, endpoint = DEFAULT_ENDPOINT, headers, resource } = configuration;
  const base = given(variables["OTEL_EXPORTER_OTLP_ENDPOINT"]) ?? endpoint;
  const url = given(variables["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"]) ?? `${base.replace(/\/+$/, "")}/v1/traces`;
  const service = given(variables["OTEL_SERVICE_NAME"]);
  const timeoutMs = Number(of(variables, "TIMEOUT") ?? TIMEOUT_MS);
  return {
    url: checkedUrl(url),
    headers: { ...headers, ...pairsOf(of(variables, "HEADERS"), "OTEL_EXPORTER_OTLP_HEADERS") },
    resource: {
      [names.serviceName]: "lectern",
      ...resource,
      ...pairsOf(variables["OTEL_RESOURCE_ATTRIBUTES"], "OTEL_RESOURCE_ATTRIBUTES"),
      ...(service !== undefined && { [names.serviceName]: service }),
    },
    content,
    timeoutMs: timeoutMs > 0 ? Math.min(timeoutMs, TIMEOUT_MS_MAX) : TIMEOUT_MS,
  };
}

const given = (value: string | undefined): string | undefined => (value?.trim() === "" ? undefined : value?.trim());

/** The variable for traces wins over the one for all signals. */
const of = (variables: Variables, name: string): string | undefined =>
  given(variables[`OTEL_EXPORTER_OTLP_TRACES_${name}`]) ?? given(variables[`OTEL_EXPORTER_OTLP_${name}`]);

function checkedUrl(text: string): string {
  if (/^https?:\/\/[^\s/?#]+(?:[/?][^\s#]*)?$/i.test(text)) return text;
  throw new LecternError(
    "INVALID_INPUT",
    `Cannot send spans to "${text}": wanted an address such as "${DEFAULT_ENDPOINT}"`,
  );
}

/** `key=value,key=value`, with values that are percent-encoded. */
function pairsOf(text: string | undefined, name: string): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const part of (text ?? "").split(",")) {
    if (part.trim() === "") continue;
    const at = part.indexOf("=");
    const key = part.slice(0, at).trim();
    if (at < 1 || key === "")
      throw new LecternError(
        "INVALID_INPUT",
        `Cannot read ${name}: wanted "key=value,key=value" with percent-encoded values`,
      );
    pairs[key] = decoded(part.slice(at + 1).trim());
  }
  return pairs;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
