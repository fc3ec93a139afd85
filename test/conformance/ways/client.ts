/** The typed client of the library, over the unix socket of the daemon. */
import { LecternClient, type InputOf } from "../../../src/client.ts";
import {
  operationNames,
  operations,
  type BytesOperation,
  type JsonOperation,
  type Operation,
  type OperationName,
} from "../../../src/protocol/operations.ts";
import { unixTransport } from "../../../src/client/unix-transport.ts";
import { daemonPrograms, type Reach } from "../reach.ts";
import {
  readableAnswer,
  readableRecord,
  takeItems,
  textOf,
  type Call,
  type Fields,
  type Offer,
  type Offers,
  type Way,
} from "../way.ts";

export function clientWay({ home }: Reach): Way {
  const client = new LecternClient(unixTransport(home.paths.daemonSocket));
  return {
    name: "client",
    offers: { ...plainOffers(client), ...ownOffers(client) },
    programs: daemonPrograms(home.client),
    isShared: true,
    [Symbol.asyncDispose]: async () => {},
  };
}

/** The operations that answer with JSON or with bytes. */
function plainOffers(client: LecternClient): Offers {
  const offerOf = (name: OperationName): Offer | undefined => {
    const { stream, upload }: Operation = operations[name];
    if (upload !== undefined) return undefined;
    // The input of a case may be wrong on purpose.
    if (stream === undefined)
      return { call: async ({ input }) => readableAnswer(await client.call(name as JsonOperation, input)) };
    if (stream.item !== "bytes") return undefined;
    return {
      call: async ({ input }) => ({ text: await textOf(client.bytes(name as BytesOperation, input as never)) }),
    };
  };
  return Object.fromEntries(
    operationNames.flatMap((name) => {
      const offer = offerOf(name);
      return offer === undefined ? [] : [[name, offer]];
    }),
  );
}

/** Those with a method of their own. */
const ownOffers = (client: LecternClient): Offers => ({
  "sessions.import": {
    takes: ["name", "recording"],
    call: async ({ input: { name, recording } }) =>
      await client.importRecording(chunksOf(String(recording)), { name: name as string | undefined }),
  },
  "sessions.follow": {
    call: async ({ input: { session, ...options }, isLast }) => {
      const records = await takeItems(client.follow(String(session), options), (item) =>
        isLast(readableRecord(item as Fields)),
      );
      return { items: records.map((record) => readableRecord(record as Fields)) };
    },
  },
  "sessions.updates": {
    call: async ({ input: { session, ...options }, isLast }) => ({
      items: await takeItems(client.updates(String(session), options), isLast),
    }),
  },
  "daemon.updates": {
    call: async ({ input, isLast }) => ({ items: await takeItems(client.daemonUpdates(input), isLast) }),
  },
  "sessions.attach": { call: (call) => attach(client, call) },
});

async function attach(client: LecternClient, { input, isLast }: Call): Promise<unknown> {
  const { session, ...options } = input as InputOf<"sessions.attach">;
  await using attachment = await client.attach(session, options as object);
  const items: Fields[] = [];
  for await (const item of attachment) {
    const { bytes, ...rest } = item as unknown as Fields;
    items.push(bytes instanceof Uint8Array ? { ...rest, text: Buffer.from(bytes).toString() } : rest);
    if (isLast(items.at(-1))) break;
  }
  return { items };
}

async function* chunksOf(text: string): AsyncGenerator<Uint8Array, void, void> {
  yield Buffer.from(text);
}
