/** What the chat fold says of steps. */
import { ChatFold } from "../src/core/chat/chat-fold.ts";
import type { ChatMessage } from "../src/core/chat/message.ts";
import type { Step } from "../src/core/observe/step.ts";

/** Messages as they stand at the end, in order of appearance. `restore`: the fold is saved and made anew before each step. */
export function messagesOf(steps: readonly Step[], { restore = false } = {}): ChatMessage[] {
  let fold = new ChatFold();
  const messages = new Map<string, ChatMessage>();
  for (const step of steps) {
    if (restore) fold = new ChatFold(JSON.parse(JSON.stringify(fold.save())));
    for (const message of fold.step(step)) messages.set(message.id, message);
  }
  return [...messages.values()];
}
