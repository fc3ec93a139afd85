/** `--host NAME` and `NAME/session`: on which host a command works. */
import { LecternError } from "../core/errors.ts";
import { splitAddress } from "../protocol/session-address.ts";
import type { Command, CommandInput, OptionSpec, OptionSpecs, ArgumentSpec } from "./command.ts";

const hostOption = {
  type: "text",
  short: "H",
  placeholder: "HOST",
  completes: "host",
  summary: 'On this host instead of here; see "lectern hosts"',
} as const satisfies OptionSpec;

const namesSession = (spec: ArgumentSpec | OptionSpec): boolean => "completes" in spec && spec.completes === "session";

/** The command with `--host` among its options, if it works on other machines. */
export function withHostOption(command: Command): Command {
  const specs = [...command.arguments, ...Object.values(command.options)];
  if (!(command.reachesHosts ?? specs.some(namesSession))) return command;
  return { ...command, options: { ...command.options, host: hostOption } };
}

type Input = CommandInput<OptionSpecs, readonly ArgumentSpec[]>;

/** The host of a command and its input without it. Throws `USAGE` for more than one, and for one and a session of this machine. */
export function takeHost(command: Command, input: Input): { readonly host: string | undefined; readonly input: Input } {
  const { host: given, ...options } = input.options as Readonly<Record<string, unknown>>;
  const hosts = new Set(typeof given === "string" ? [given] : []);
  const ofHere: string[] = [];
  const sessionOf = (reference: string): string => {
    const { machine, session } = splitAddress(reference);
    if (machine === undefined) ofHere.push(session);
    else hosts.add(machine);
    return session;
  };
  const without = (values: Readonly<Record<string, unknown>>, isSession: (name: string) => boolean) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => {
        if (!isSession(name)) return [name, value];
        if (typeof value === "string") return [name, sessionOf(value)];
        return [name, Array.isArray(value) ? value.map((each) => sessionOf(String(each))) : value];
      }),
    );
  const isOption = (name: string): boolean => {
    const spec = command.options[name];
    return spec !== undefined && namesSession(spec);
  };
  const isArgument = (wanted: string): boolean => {
    const spec = command.arguments.find(({ name }) => name === wanted);
    return spec !== undefined && namesSession(spec);
  };
  // The same names with the same kinds of values: the compiler cannot follow that through the entries.
  const rest = { options: without(options, isOption), arguments: without(input.arguments, isArgument) } as Input;
  if (hosts.size > 1) {
    throw new LecternError(
      "USAGE",
      `Cannot use more than one host in one command, which has ${[...hosts].join(", ")}: run it once for each`,
    );
  }
  const [host] = hosts;
  const [local] = given === undefined ? ofHere : [];
  if (host !== undefined && local !== undefined) {
    throw new LecternError(
      "USAGE",
      `Cannot use "${local}" of this machine and a session of host "${host}" in one command: run it once for each`,
    );
  }
  return { host, input: rest };
}

/** What the daemon there says is about that machine, and so is the next step that it names. */
export function ofHost(error: LecternError, host: string): LecternError {
  if (error.details["host"] === host || error.code === "USAGE") return error;
  const { code, details, message } = error;
  return new LecternError(code, `On host "${host}": ${message}`, { details: { ...details, host }, cause: error });
}
