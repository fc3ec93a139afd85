/** What a session's command and environment become so that its agent talks to the gateway. Pure. */
import type { Agent } from "../../core/agents/agent.ts";
import { WIRE_ROUTES, type LaunchWayData, type WireRoute } from "../../core/agents/agent-file.ts";
import { merged } from "../../core/agents/merge.ts";
import { LecternError } from "../../core/errors.ts";
import { routeFacts } from "./routes.ts";

export interface LaunchInput {
  readonly agent: Agent | undefined;
  readonly command: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  readonly secret: string;
  /** Where the files of the agent go. */
  readonly directory: string;
  /** An address in its own settings was taken over, and is overridden. */
  readonly overrides?: boolean;
}

export interface Launch {
  readonly command: readonly [string, ...string[]];
  /** Set in addition. */
  readonly environment: Readonly<Record<string, string>>;
  /** To be written, by name in the directory. */
  readonly files: Readonly<Record<string, string>>;
}

/** Variables that many programs and libraries know: set for every agent, known or not, and for what it starts. */
const genericEnvironment: Readonly<Record<string, string>> = {
  ANTHROPIC_BASE_URL: "{anthropic}",
  OPENAI_BASE_URL: "{openai}",
  OPENAI_API_BASE: "{openai}",
  GOOGLE_GEMINI_BASE_URL: "{gemini}",
  CODE_ASSIST_ENDPOINT: "{code-assist}",
};

export function launchFor(input: LaunchInput): Launch {
  const { agent, command, directory, environment, origin, secret } = input;
  const values: Record<string, string> = { secret, directory };
  for (const route of WIRE_ROUTES) {
    values[route] = `${origin}/wire/${secret}/${route}`;
    values[`${route}:header`] = `${origin}/wire/-/${route}`;
  }
  const fill = (text: string): string =>
    text.replaceAll(
      /\{([a-z:-]+)\}/g,
      (whole, name: string) => (Object.hasOwn(values, name) ? values[name] : undefined) ?? whole,
    );
  const way = wayOf(input);
  const override = input.overrides === true ? agent?.launch?.settings?.override : undefined;
  const variables = { ...genericEnvironment, ...way?.environment, ...override?.environment };
  const [program, ...words] = command;
  const added = [...(way?.arguments ?? []), ...(override?.arguments ?? [])];
  return {
    command: [program, ...added.map(fill), ...words],
    environment: {
      ...mapValues(variables, (value, name) => withJsonOf(environment[name], fill(value))),
      LECTERN_WIRE_URL: `${origin}/wire/${secret}`,
      ...withoutProxy(environment),
    },
    files: mapValues({ ...way?.files, ...override?.files }, fill),
  };
}

const wayOf = ({ agent, environment }: Pick<LaunchInput, "agent" | "environment">): LaunchWayData | undefined =>
  Object.values(agent?.launch?.ways ?? {}).find(({ variable }) => variable === undefined || environment[variable]);

const mapValues = (
  values: Readonly<Record<string, string>>,
  change: (value: string, name: string) => string,
): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]));

/** A variable that holds JSON keeps what the user has in it, below what is set. */
function withJsonOf(known: string | undefined, value: string): string {
  if (known === undefined || !value.startsWith("{")) return value;
  try {
    return JSON.stringify(merged(JSON.parse(known), JSON.parse(value)));
  } catch {
    return value;
  }
}

/**
 * Throws `INVALID_INPUT` for an agent whose model calls would pass by the gateway: one that cannot be pointed at it, or that its environment
 * sends to a cloud with another protocol.
 */
export function refuseUnwatched({ agent, environment }: Pick<LaunchInput, "agent" | "environment">): void {
  if (agent === undefined || agent.launch === null) return;
  const { elsewhere = {}, notes = "it has no setting for it", routes } = agent.launch;
  if (routes.length === 0) {
    throw new LecternError("INVALID_INPUT", `Cannot watch ${agent.title} over the wire: ${notes}`);
  }
  if (agent.launch.ways !== undefined && wayOf({ agent, environment }) === undefined) {
    throw new LecternError("INVALID_INPUT", `Cannot watch ${agent.title} over the wire as it is set up: ${notes}`);
  }
  const found = Object.entries(elsewhere).find(([name]) => isOn(environment[name]));
  if (found === undefined) return;
  const [variable, cloud] = found;
  throw new LecternError(
    "INVALID_INPUT",
    `Cannot watch ${agent.title} over the wire: ${variable} sends it to ${cloud}, whose requests are signed for that server; unset it, or run without --wire`,
  );
}

/** Throws `INVALID_INPUT` for an agent behind another program, whose command line Lectern would have to change. */
export function refuseWrapped(agent: Agent, overrides: boolean): void {
  const { settings, ways = {} } = agent.launch ?? {};
  const added = [...Object.values(ways), ...(overrides ? [settings?.override] : [])];
  if (!added.some((way) => way?.arguments !== undefined)) return;
  throw new LecternError(
    "INVALID_INPUT",
    `Cannot watch ${agent.title} over the wire behind another program, because it needs further arguments: start it directly, as in "lectern run --wire -- ${agent.commands[0] ?? agent.name}"`,
  );
}

const isOn = (value = ""): boolean => !/^(?:|0|false|no|off)$/i.test(value);

/** A proxy of the network must not be asked for an address of this machine. */
function withoutProxy(environment: LaunchInput["environment"]): Record<string, string> {
  const known = environment["NO_PROXY"] ?? environment["no_proxy"] ?? "";
  const value = known === "" ? "127.0.0.1" : `${known},127.0.0.1`;
  return { NO_PROXY: value, no_proxy: value };
}

interface UpstreamSources extends Pick<LaunchInput, "agent" | "environment"> {
  /** Addresses in the agent's own settings, which override its environment. */
  readonly settings?: Partial<Record<WireRoute, string>> | undefined;
}

/**
 * The upstream of each route: what the caller names, else what the settings of the agent name, else its environment, else the vendor's
 * address.
 *
 * Throws `INVALID_INPUT` for an address that is no plain `http` or `https` URL.
 */
export function upstreamsFor(
  named: Partial<Record<WireRoute, string | undefined>>,
  { agent, environment, settings = {} }: UpstreamSources,
): Record<WireRoute, string> {
  const found = WIRE_ROUTES.map((route): readonly [WireRoute, string] => {
    const variables = [...(agent?.launch?.upstreamVariables?.[route] ?? []), ...routeFacts[route].variables];
    const fromEnvironment = variables
      .map((name) => environment[name])
      .find((value) => value !== undefined && value !== "");
    return [route, plainUrl(route, named[route] ?? settings[route] ?? fromEnvironment ?? routeFacts[route].url)];
  });
  return Object.fromEntries(found) as Record<WireRoute, string>;
}

/** The text of a refused URL is not repeated: it may hold a password. */
function plainUrl(route: WireRoute, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    url.username === "" &&
    url.password === "" &&
    url.search === "" &&
    url.hash === "";
  const cloud = url === undefined ? undefined : cloudOf(url.hostname);
  if (cloud !== undefined) {
    throw new LecternError(
      "INVALID_INPUT",
      `Cannot use the upstream of "${route}": ${cloud} is not supported, its requests are signed for its own address`,
    );
  }
  if (isPlain) return url.href.replace(/\/+$/, "");
  throw new LecternError(
    "INVALID_INPUT",
    `Cannot use the upstream of "${route}": wanted a URL such as "https://api.example.com/v1"`,
  );
}

function cloudOf(host: string): string | undefined {
  if (/(?:^|\.)bedrock(?:-[a-z]+)*\.[a-z0-9.-]*amazonaws\.com$/.test(host)) return "Amazon Bedrock";
  return /(?:^|[.-])aiplatform\.googleapis\.com$/.test(host) ? "Google Vertex AI" : undefined;
}
