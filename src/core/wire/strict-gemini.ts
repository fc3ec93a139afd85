/** `strict-event.ts` for Gemini. */
import { asList, asObject, fieldsOf, type JsonObject } from "./shape.ts";
import { isSomething, KnownFields } from "./strict-fields.ts";

const geminiFields = new KnownFields(
  "candidates:list promptFeedback:object usageMetadata:object modelVersion:text modelStatus responseId:text createTime:text error",
);
const wrappedFields = new KnownFields("response:object traceId metadata remainingCredits consumedCredits error");
const candidateFields = new KnownFields(
  "content:object finishReason:text finishMessage:text index:number safetyRatings:list citationMetadata groundingMetadata groundingAttributions " +
    "urlContextMetadata avgLogprobs logprobsResult tokenCount",
);
const partFields = new KnownFields(
  "text:text thought:flag thoughtSignature:text functionCall:object toolCall:object toolResponse functionResponse inlineData fileData executableCode codeExecutionResult " +
    "videoMetadata mediaResolution partMetadata",
);
const geminiCallFields = new KnownFields("name:text args:object id:text partialArgs:list willContinue:flag");
const pieceFields = new KnownFields(
  "jsonPath:text stringValue:text numberValue:number boolValue:flag nullValue willContinue:flag",
);
const pieceValues = ["stringValue", "numberValue", "boolValue", "nullValue"];
const contentFields = new KnownFields("parts:list role:text");

export function foreignInGemini(chunk: JsonObject): string | undefined {
  // Code Assist wraps each chunk, but Google's library also reads candidates beside the wrapper.
  const wrapped = chunk["response"];
  const foreign = (isSomething(wrapped) ? wrappedFields : geminiFields).foreignIn(chunk);
  if (foreign !== undefined || (isSomething(wrapped) && isSomething(chunk["candidates"])))
    return `the field "${foreign ?? "candidates"}"`;
  if (isSomething(wrapped)) {
    const inner = asObject(wrapped);
    return inner === undefined || isSomething(inner["response"]) ? 'the field "response"' : foreignInGemini(inner);
  }
  const candidates = chunk["candidates"] ?? [];
  if (!Array.isArray(candidates) || candidates.length > 1) return "candidates beside the first one";
  if (candidates.length === 0) return undefined;
  const candidate = asObject(candidates[0]);
  if (candidate === undefined) return "a candidate";
  const field = candidateFields.foreignIn(candidate);
  return field === undefined ? foreignInContent(candidate["content"]) : `the field "${field}"`;
}

function foreignInContent(value: unknown): string | undefined {
  if (!isSomething(value)) return undefined;
  const content = asObject(value);
  const parts = content?.["parts"] ?? [];
  if (content === undefined || !Array.isArray(parts)) return "the content";
  const other = contentFields.foreignIn(content);
  if (other !== undefined) return `the field "${other}"`;
  for (const part of parts.map(asObject)) {
    const call = part?.["functionCall"];
    if (part === undefined || (isSomething(call) && asObject(call) === undefined)) return "a part of the content";
    const foreign =
      partFields.foreignIn(part) ??
      geminiCallFields.foreignIn(fieldsOf(call)) ??
      asList(fieldsOf(call)["partialArgs"])
        .map(foreignInPiece)
        .find((name) => name !== undefined);
    if (foreign !== undefined) return `the field "${foreign}"`;
  }
  return undefined;
}

/** A piece of streamed arguments has one path and one value. */
function foreignInPiece(value: unknown): string | undefined {
  const piece = fieldsOf(value);
  const values = pieceValues.filter((name) => piece[name] !== undefined);
  const isWhole = typeof piece["jsonPath"] === "string" && values.length === 1;
  return isWhole ? pieceFields.foreignIn(piece) : "partialArgs";
}
