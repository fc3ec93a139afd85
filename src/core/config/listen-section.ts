/** Where the daemon listens beside its unix socket. */
import type { DataProblem } from "../json-schema/typed-form.ts";
import { configKey, flag, text, texts, wholeNumber } from "./config-key.ts";

export const listen = {
  summary: "Where the daemon listens beside its unix socket: for `lectern up` and `lectern open`.",
  keys: {
    port: wholeNumber({
      default: 7433,
      minimum: 0,
      maximum: 65_535,
      needsRestart: true,
      summary: "The port; 0 takes a free one. If 7433 is in use, the next free one of 20.",
    }),
    host: configKey<string>({
      type: "address",
      default: "127.0.0.1",
      schema: { type: "string", minLength: 1, maxLength: 256 },
      problems: (data) => hostProblems(String(data)),
      needsRestart: true,
      summary:
        "An address of this machine, or `0.0.0.0` or `::` for all. Beyond `127.0.0.1` and `::1` it needs `tls` or `insecureHttp`; see [phone](phone.md).",
    }),
    names: texts({
      type: "list of names",
      needsRestart: true,
      summary:
        "Names by which browsers may ask for it besides its address: `box.example`, or `https://box.example` for one of a proxy such as `tailscale serve`.",
    }),
    tls: flag({
      default: false,
      needsRestart: true,
      summary: "Serve HTTPS, with a certificate that Lectern makes unless `certificate` is set.",
    }),
    certificate: text({
      type: "file",
      default: undefined,
      needsRestart: true,
      summary:
        "Certificate in PEM, those that signed it after it. What is in the file is loaded again by `lectern reload`.",
    }),
    key: text({
      type: "file",
      default: undefined,
      needsRestart: true,
      summary: "The private key of `certificate`, in PEM.",
    }),
    insecureHttp: flag({
      default: false,
      needsRestart: true,
      summary: "Listen beyond this machine without TLS: everybody on the way can read the token.",
    }),
  },
};

function hostProblems(host: string): readonly DataProblem[] {
  const withPort = /^(?:\[([\w:.%]+)\]|([\w.-]+)):\d+$/.exec(host);
  const alone = withPort?.[1] ?? withPort?.[2];
  if (alone !== undefined) return [{ path: [], message: `is "${host}", wanted ${alone}; the port is the key "port"` }];
  if (/^(?:[\w.-]+|[\w:.%]+)$/.test(host)) return [];
  return [{ path: [], message: `is ${JSON.stringify(host)}, wanted such as 127.0.0.1, 0.0.0.0 or ::1` }];
}
