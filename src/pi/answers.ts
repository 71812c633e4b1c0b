/** How a tool answers the model. A refusal is an error result whose text is `CODE: message`. */
import type { ToolResult } from "./host.ts";

export function answer(text: string, details: Record<string, unknown>): ToolResult {
  return { content: [{ type: "text", text }], details, isError: false };
}

export function refuse(code: string, message: string): ToolResult {
  return {
    content: [{ type: "text", text: `${code}: ${message}` }],
    details: { code, message },
    isError: true,
  };
}
