/** Whose dialect a request speaks. A server that speaks the dialect of another vendor is counted as that vendor. */
import type { Dialect } from "./turn.ts";

/** `providerOf("openai-responses"); // "openai"` */
export function providerOf(dialect: Dialect): "anthropic" | "openai" | "gemini" {
  switch (dialect) {
    case "anthropic":
    case "gemini":
      return dialect;
    case "openai-chat":
    case "openai-responses":
      return "openai";
  }
}
