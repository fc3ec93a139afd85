/** What the chat fold says of steps. */
import { ChatFold } from "../src/core/chat/chat-fold.ts";
import type { ChatMessage } from "../src/core/chat/message.ts";
import type { Step } from "../src/core/views/fold.ts";

/** Messages of a recording as they stand at its end, in order of appearance. */
export function messagesOf(steps: readonly Step[]): ChatMessage[] {
  const fold = new ChatFold();
  const messages = new Map<string, ChatMessage>();
  for (const step of steps) for (const message of fold.step(step)) messages.set(message.id, message);
  return [...messages.values()];
}
