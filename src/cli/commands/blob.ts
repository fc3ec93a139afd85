import { defineCommand } from "../command.ts";

export const blob = defineCommand({
  name: "blob",
  reachesHosts: true,
  summary: "Print the full bytes of truncated output, by hash",
  details: [
    "Long output of tools and of lectern exec is truncated to head and tail; the hash is in place of the middle.",
    "Bytes are as the terminal sent them, with escape sequences. The newest 1 GiB is kept.",
  ],
  arguments: [{ name: "hash", summary: "SHA-256, or its first 8 or more characters" }],
  options: {},
  examples: ["lectern blob 2cf24dba5fb0a30e > output.txt"],
  async run({ arguments: { hash } }, context) {
    const client = await context.client();
    for await (const chunk of client.bytes("blobs.get", { hash }, { signal: context.signal }))
      await context.write(chunk);
  },
});
