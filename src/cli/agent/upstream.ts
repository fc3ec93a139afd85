/** Chooses the model server, the model and the key from the command line and the environment. */
import { LecternError } from "../../core/errors.ts";
import type { Dialect } from "../../core/wire/turn.ts";
import { vendorBaseUrls } from "../../core/wire/write-request.ts";

export const dialects = ["anthropic", "openai-chat", "openai-responses", "gemini"] as const satisfies Dialect[];

interface Variables {
  readonly keys: readonly string[];
  readonly baseUrls: readonly string[];
}

const openAi: Variables = { keys: ["OPENAI_API_KEY"], baseUrls: ["OPENAI_BASE_URL", "OPENAI_API_BASE"] };
const variables: Readonly<Record<Dialect, Variables>> = {
  anthropic: { keys: ["ANTHROPIC_API_KEY"], baseUrls: ["ANTHROPIC_BASE_URL"] },
  "openai-chat": openAi,
  "openai-responses": openAi,
  gemini: { keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"], baseUrls: ["GOOGLE_GEMINI_BASE_URL"] },
};

/** Variables that are hidden from commands of the agent. */
export const keyVariables: readonly string[] = [...new Set(Object.values(variables).flatMap(({ keys }) => keys))];

export interface Upstream {
  readonly dialect: Dialect;
  readonly baseUrl: string;
  readonly model: string;
  readonly key: string | undefined;
  /** Requests go through our gateway, which decides about each call and audits it. */
  readonly isGuarded: boolean;
}

export interface UpstreamWishes {
  readonly dialect: string | undefined;
  readonly baseUrl: string | undefined;
  readonly model: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Throws `USAGE` if something is missing; messages contain the names of variables, never their values. */
export function chooseUpstream(wishes: UpstreamWishes, environment: Environment): Upstream {
  const dialect = dialects.find((name) => name === wishes.dialect) ?? dialectOfKeys(environment);
  const { baseUrls, keys } = variables[dialect];
  const vendor = vendorBaseUrls[dialect];
  const given = wishes.baseUrl ?? firstOf(baseUrls, environment);
  const key = firstOf(keys, environment);
  if (key === undefined && given === undefined) {
    throw new LecternError(
      "USAGE",
      `Cannot call ${new URL(vendor).host} without a key: set ${keys[0]}, or give --base-url`,
    );
  }
  const model = wishes.model ?? environment["LECTERN_MODEL"];
  if (model === undefined) throw new LecternError("USAGE", "Missing model: give --model, or set LECTERN_MODEL");
  const baseUrl = withoutSlash(given ?? vendor);
  return { dialect, baseUrl, model, key, isGuarded: pathOf(baseUrl).startsWith("/wire/") };
}

/** The first dialect with a key. */
function dialectOfKeys(environment: Environment): Dialect {
  const order = ["anthropic", "openai-responses", "gemini"] as const;
  const known = order.find((dialect) => firstOf(variables[dialect].keys, environment) !== undefined);
  return known ?? "anthropic";
}

function firstOf(names: readonly string[], environment: Environment): string | undefined {
  const name = names.find((each) => environment[each] !== undefined && environment[each] !== "");
  return name === undefined ? undefined : environment[name];
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, "");

function pathOf(url: string): string {
  if (!URL.canParse(url))
    throw new LecternError("USAGE", 'Cannot read the base URL: wanted one such as "http://127.0.0.1:8080"');
  return new URL(url).pathname;
}
