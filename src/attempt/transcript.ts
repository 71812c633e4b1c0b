/** What Pi's JSON Lines tell about a run. */

/** Counts, and how it ended as far as the stream says. */
export interface Story {
  readonly turns: number;
  readonly toolCalls: number;
  /** Calls of `edit`, refused ones included. */
  readonly edits: number;
  readonly refusedEdits: number;
  /** Why the run was no normal turn, in one phrase with Pi's own words; null if it was one. */
  readonly failure: string | null;
}

/** A line that is longer, in bytes, counts for nothing. */
const longestLine = 4 * 1024 * 1024;

/**
 * Reads a transcript as it comes. Memory is bounded by one line; what is not JSON, or is too long to hold,
 * counts for nothing.
 */
export function transcriptReader(limit = longestLine): { hear(chunk: Uint8Array): void; end(): Story } {
  const story = { turns: 0, toolCalls: 0, edits: 0, refusedEdits: 0 };
  let lastStop: { readonly reason: unknown; readonly said: unknown } | undefined;
  let settled: "no" | "normally" | "aborted" = "no";

  function count(event: Readonly<Record<string, unknown>>): void {
    const isEdit = event["toolName"] === "edit";
    if (event["type"] === "turn_start") story.turns++;
    if (event["type"] === "tool_execution_start") {
      story.toolCalls++;
      if (isEdit) story.edits++;
    }
    if (event["type"] === "tool_execution_end" && isEdit && event["isError"] === true) story.refusedEdits++;
    if (event["type"] === "agent_settled") settled = event["aborted"] === true ? "aborted" : "normally";
    const message = event["type"] === "message_end" ? event["message"] : undefined;
    if (isObject(message) && message["role"] === "assistant") {
      lastStop = { reason: message["stopReason"], said: message["errorMessage"] };
    }
  }

  function failure(): string | null {
    if (lastStop?.reason === "error" || lastStop?.reason === "aborted") {
      const said = typeof lastStop.said === "string" ? `: ${lastStop.said}` : "";
      return `the model's last message ended with '${lastStop.reason}'${said}`;
    }
    if (settled === "no") return "Pi ended without telling that the agent settled";
    return settled === "aborted" ? "Pi's agent was aborted" : null;
  }

  const lines = lineReader(limit, (line) => {
    const event = parsed(line);
    if (isObject(event)) count(event);
  });
  return {
    hear: lines.hear,
    end: () => {
      lines.end();
      return { ...story, failure: failure() };
    },
  };
}

/** Cuts a stream of bytes at line feeds; a line beyond `limit` bytes is passed over. */
function lineReader(
  limit: number,
  onLine: (line: Uint8Array) => void,
): { hear(chunk: Uint8Array): void; end(): void } {
  let parts: Uint8Array[] = [];
  let length = 0;
  function add(part: Uint8Array): void {
    length += part.length;
    if (length > limit) parts = [];
    // A copy: the chunk's memory is the reader's only until it returns, and a Buffer's slice() shares it.
    else if (part.length > 0) parts.push(new Uint8Array(part));
  }
  function end(): void {
    if (length > 0 && length <= limit) onLine(Buffer.concat(parts));
    parts = [];
    length = 0;
  }
  return {
    hear: (chunk) => {
      let from = 0;
      for (let feed = chunk.indexOf(10); feed >= 0; feed = chunk.indexOf(10, from)) {
        add(chunk.subarray(from, feed));
        end();
        from = feed + 1;
      }
      add(chunk.subarray(from));
    },
    end,
  };
}

function parsed(line: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(line));
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
