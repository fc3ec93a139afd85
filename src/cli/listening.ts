/** Where the daemon listens beside its unix socket: what the options of `lectern up` say, and what is configured otherwise. */
import { isIP } from "node:net";
import { LecternError } from "../core/errors.ts";
import { listen as listenSection } from "../core/config/listen-section.ts";
import type { DaemonConfig } from "../daemon/config/daemon-config.ts";
import type { LecternPaths } from "../daemon/paths.ts";
import type { ListenerOptions } from "../server/server.ts";
import type { OptionSpecs, OptionValues } from "./command.ts";

const PORT_MAX = 65_535;

export const listenOptions = {
  port: {
    type: "number",
    short: "p",
    placeholder: "N",
    maximum: PORT_MAX,
    summary: "Port; default: listen.port of lectern.yaml, or 7433, or the next free one",
  },
  listen: {
    type: "text",
    placeholder: "ADDRESS[:PORT]",
    summary: "Address; default: 127.0.0.1. Another one needs --tls or --insecure-http",
  },
  tls: { type: "flag", summary: "Serve HTTPS, with a certificate that is made if none is given" },
  certificate: { type: "text", placeholder: "FILE", completes: "file", summary: "With --tls: certificate in PEM" },
  key: { type: "text", placeholder: "FILE", completes: "file", summary: "With --tls: its private key in PEM" },
  address: {
    type: "list",
    placeholder: "NAME",
    summary: "Name by which browsers reach it, such as box.example or https://box.example",
  },
  "insecure-http": { type: "flag", summary: "Listen on another address without TLS: others can read the token" },
  "no-tcp": { type: "flag", summary: "Listen on the unix socket only" },
} as const satisfies OptionSpecs;

/** As given on the command line; undefined: as configured. */
export interface WantedListening {
  readonly tcp: boolean;
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly names: readonly string[];
  readonly tls: boolean;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  readonly insecureHttp: boolean;
}

/** Throws `USAGE`. `absolute` makes paths of this command's directory absolute. */
export function wantedListening(
  options: OptionValues<typeof listenOptions>,
  absolute: (path: string) => string,
): WantedListening {
  const { address, certificate, key, listen, tls } = options;
  if ((certificate === undefined) !== (key === undefined)) throw usage("--certificate and --key go together");
  const place = listen === undefined ? undefined : placeOf(listen);
  if (place?.port !== undefined && options.port !== undefined) throw usage("Give the port once: --listen or --port");
  return {
    tcp: !options["no-tcp"],
    host: place?.host,
    port: place?.port ?? options.port,
    names: address,
    tls: tls || certificate !== undefined,
    certificate: certificate === undefined ? undefined : absolute(certificate),
    key: key === undefined ? undefined : absolute(key),
    insecureHttp: options["insecure-http"],
  };
}

/** `127.0.0.1`, `0.0.0.0:8443`, `[::1]:8443`, `::1`. */
function placeOf(text: string): { readonly host: string; readonly port: number | undefined } {
  if (isIP(text) !== 0 || text === "localhost") return { host: text, port: undefined };
  const [, bracketed, plain, digits = ""] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = digits === "" ? undefined : Number(digits);
  if (host !== undefined && (port === undefined || port <= PORT_MAX)) return { host, port };
  throw usage(`Cannot read the address "${text}": wanted one such as 0.0.0.0, 192.168.1.5:8443 or [::]:8443`);
}

const usage = (message: string): LecternError => new LecternError("USAGE", `${message}; see "lectern up --help"`);

export const listeningWords = (wanted: WantedListening): string[] => [
  ...(wanted.tcp ? [] : ["--no-tcp"]),
  ...(wanted.host === undefined ? [] : [`--listen=${isIP(wanted.host) === 6 ? `[${wanted.host}]` : wanted.host}`]),
  ...(wanted.port === undefined ? [] : [`--port=${wanted.port}`]),
  ...wanted.names.map((name) => `--address=${name}`),
  ...(wanted.tls ? ["--tls"] : []),
  ...(wanted.certificate === undefined ? [] : [`--certificate=${wanted.certificate}`]),
  ...(wanted.key === undefined ? [] : [`--key=${wanted.key}`]),
  ...(wanted.insecureHttp ? ["--insecure-http"] : []),
];

export const USUAL_PORT = listenSection.keys.port.default as number;
/** Ports after the usual one that are tried if it is in use. */
const NEXT_PORTS_MAX = 20;

/** The ports to try in turn: the one that is given or configured, or the usual one and those after it. */
export function portsFor({ port }: WantedListening, config: DaemonConfig): readonly number[] {
  const { port: configured } = config.get("listen");
  if (port !== undefined || configured !== USUAL_PORT) return [port ?? configured];
  return Array.from({ length: NEXT_PORTS_MAX + 1 }, (_, index) => USUAL_PORT + index);
}

/** With what is configured. Throws `INVALID_INPUT`, and `COMMAND_NOT_FOUND` if a certificate must be made without `openssl`. */
export async function listenersFor(
  wanted: WantedListening,
  { config, paths }: { readonly config: DaemonConfig; readonly paths: LecternPaths },
): Promise<ListenerOptions[]> {
  const unix = { kind: "unix", path: paths.daemonSocket } as const;
  if (!wanted.tcp) return [unix];
  const set = config.get("listen");
  const host = wanted.host ?? set.host;
  const port = wanted.port ?? set.port;
  const names = [...new Set([...wanted.names, ...set.names])];
  // A certificate in the file is for TLS, as on the command line.
  const isSecure = wanted.tls || set.tls || set.certificate !== undefined;
  const certificate = isSecure ? await certificateFor(wanted, { config, paths, host, names }) : undefined;
  return [unix, { kind: "tcp", host, port, names, certificate, insecureHttp: wanted.insecureHttp || set.insecureHttp }];
}

async function certificateFor(
  wanted: WantedListening,
  at: {
    readonly config: DaemonConfig;
    readonly paths: LecternPaths;
    readonly host: string;
    readonly names: readonly string[];
  },
) {
  const { loadCertificate } = await import("../server/certificate.ts");
  const set = at.config.get("listen");
  if (wanted.certificate !== undefined && wanted.key !== undefined)
    return loadCertificate({ certificateFile: wanted.certificate, keyFile: wanted.key });
  if (set.certificate !== undefined || set.key !== undefined) {
    if (set.certificate === undefined || set.key === undefined)
      throw new LecternError("INVALID_INPUT", "Cannot serve HTTPS: listen.certificate and listen.key go together");
    return loadCertificate({
      certificateFile: at.config.pathOf(set.certificate),
      keyFile: at.config.pathOf(set.key),
    });
  }
  const { ownCertificate } = await import("../daemon/certificates/certificates.ts");
  return loadCertificate(await ownCertificate(at.paths.dataDirectory, ownNames(at)));
}

/** What a certificate of our own must have. The addresses behind `0.0.0.0` change, and no name is sure: it has the host name besides. */
const ownNames = ({ host, names }: { readonly host: string; readonly names: readonly string[] }): string[] => [
  ...(host === "0.0.0.0" || host === "::" || host === "localhost" ? [] : [host]),
  ...names.filter((name) => !name.startsWith("https://")).map((name) => name.replace(/:\d+$/, "")),
];
