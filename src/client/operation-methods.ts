/** The operations as methods: `client.sessions.get("work")` for `sessions.get`. Types and methods follow from the table of operations. */
import { endpoints, streamingNames } from "../protocol/endpoints.ts";
import type { InputOf, JsonOperation, OutputOf } from "../protocol/operations.ts";
import { pathParameters, routeOf } from "../protocol/routes.ts";

/** `signal` cancels the request, which then rejects with `CANCELLED`. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? [Name, ...NamesIn<Rest>]
  : [];
type PathNames<Name extends JsonOperation> = NamesIn<(typeof endpoints)[Name]>;
type Texts<Names extends readonly unknown[]> = { [Index in keyof Names]: string };
type RestOf<Name extends JsonOperation> = Omit<InputOf<Name>, PathNames<Name>[number]>;
type Optional<Input> = [input?: Input, options?: CallOptions];
/** An input without any field has an index signature: nothing else may be in it. */
type Tail<Input> = string extends keyof Input
  ? Optional<Input>
  : Partial<Input> extends Input
    ? Optional<Input>
    : [input: Input, options?: CallOptions];

/** Takes the parameters of its path in their order and then the other inputs, or all of them as one object. */
interface OperationMethod<Name extends JsonOperation> {
  (...given: [...Texts<PathNames<Name>>, ...Tail<RestOf<Name>>]): Promise<OutputOf<Name>>;
  (...given: Tail<InputOf<Name>>): Promise<OutputOf<Name>>;
}

type GroupOf<Name> = Name extends `${infer Group}.${string}` ? Group : never;

/** Each operation that answers with JSON, as a method of its group. */
export type OperationMethods = {
  readonly [Group in GroupOf<JsonOperation>]: {
    readonly [Name in JsonOperation as Name extends `${Group}.${infer Method}` ? Method : never]: OperationMethod<Name>;
  };
};

interface Caller {
  call(name: JsonOperation, input: never, options?: CallOptions): Promise<unknown>;
}

const isJson = (name: string): name is JsonOperation => !(streamingNames as readonly string[]).includes(name);

/** The base of a client with `call`: a getter for each group. The compiler cannot follow names that are split while it runs. */
export const OperationGroups = makeGroups() as abstract new () => OperationMethods;

function makeGroups(): unknown {
  const names = Object.keys(endpoints).filter(isJson);
  const Groups = function Groups(): void {
    // The groups are getters.
  };
  for (const group of new Set(names.map((name) => name.slice(0, name.indexOf("."))))) {
    const own = names.filter((name) => name.startsWith(`${group}.`));
    const get = function get(this: Caller): object {
      return Object.fromEntries(own.map((name) => [name.slice(group.length + 1), methodOf(name, this)]));
    };
    Object.defineProperty(Groups.prototype, group, { get });
  }
  return Groups;
}

function methodOf(name: JsonOperation, caller: Caller): (...given: readonly unknown[]) => Promise<unknown> {
  const names = pathParameters(routeOf(name).path);
  return async (...given) => {
    const texts = given.findIndex((value) => typeof value !== "string");
    const inPath = given.slice(0, texts < 0 ? given.length : texts);
    if (inPath.length > names.length) throw tooMany(name, names);
    const [rest = {}, options] = given.slice(inPath.length) as [input?: object, options?: CallOptions];
    const filled = Object.fromEntries(inPath.map((value, index) => [names[index], value]));
    return await caller.call(name, { ...rest, ...filled } as never, options);
  };
}

const tooMany = (name: string, names: readonly string[]): TypeError =>
  new TypeError(`${name} takes ${names.length === 0 ? "no text" : names.join(", ")}, and then an object`);
