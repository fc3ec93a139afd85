/**
 * Answers in the shapes that vendors document, with the parts that a small stream lacks: tools of their servers, logs, usage. All of them
 * pass the gateway unchanged.
 */
import type { BaseAnswer } from "./answer.ts";
import { anthropicBodies, anthropicStreams } from "./vendor-anthropic.ts";
import { chatBodies, chatStreams } from "./vendor-chat.ts";
import { geminiBodies, geminiStreams } from "./vendor-gemini.ts";
import { responsesBodies, responsesStreams } from "./vendor-responses.ts";

export const vendorStreams: readonly BaseAnswer[] = [
  ...anthropicStreams,
  ...responsesStreams,
  ...chatStreams,
  ...geminiStreams,
];

/** Answers that are not streamed. */
export const vendorBodies: readonly BaseAnswer[] = [
  ...anthropicBodies,
  ...responsesBodies,
  ...chatBodies,
  ...geminiBodies,
];
