/** A model on loopback that says what a test scripted, in the OpenAI completions dialect that Pi speaks. */

export interface Turn {
  readonly text?: string;
  readonly toolCalls?: readonly ToolCall[];
  /** An HTTP status that is an error. */
  readonly status?: number;
  /** Accepts the request and never answers. */
  readonly silent?: boolean;
}

export interface ToolCall {
  readonly name: string;
  readonly args: unknown;
}

export interface ScriptedModel {
  readonly url: string;
  /** The bodies of the requests so far. */
  readonly requests: readonly ModelRequest[];
  stop(): Promise<void>;
}

export interface ModelRequest {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly function: ToolDeclaration }[];
}

export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
}

/** Starts a model that answers its requests in turn; past the end of the script it answers with an error. */
export function scriptedModel(script: readonly Turn[] | ((request: number) => Turn)): ScriptedModel {
  const requests: ModelRequest[] = [];
  const turnOf = typeof script === "function" ? script : (at: number) => script[at] ?? { status: 418 };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const turn = turnOf(requests.length);
      requests.push((await request.json()) as ModelRequest);
      if (turn.silent) return new Promise<never>(() => {});
      if (turn.status)
        return Response.json({ error: { message: `scripted ${turn.status}` } }, { status: turn.status });
      return new Response(stream(turn, requests.length), {
        headers: { "content-type": "text/event-stream" },
      });
    },
  });
  return { url: `http://127.0.0.1:${server.port}/v1`, requests, stop: () => server.stop(true) };
}

function stream(turn: Turn, turnNumber: number): string {
  const calls = turn.toolCalls?.map(({ name, args }, index) => ({
    index,
    id: `call_${turnNumber}_${index}`,
    type: "function",
    function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) },
  }));
  const events = [
    { delta: { role: "assistant", content: turn.text ?? "" }, finish_reason: null },
    ...(calls ? [{ delta: { tool_calls: calls }, finish_reason: null }] : []),
    { delta: {}, finish_reason: calls ? "tool_calls" : "stop" },
  ];
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const chunks = events.map((choice) => ({
    id: `turn-${turnNumber}`,
    object: "chat.completion.chunk",
    created: 1,
    model: "scripted",
    choices: [{ index: 0, ...choice }],
    usage,
  }));
  return `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`;
}
