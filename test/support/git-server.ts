/** Git over HTTP on loopback, for those who send the one header that it wants. */
import { git } from "./repository.ts";

export interface GitServer {
  /** `http://127.0.0.1:PORT/` */
  readonly url: string;
  stop(): Promise<void>;
}

/** Serves the bare repositories in `folder` by Git's own CGI program (git-http-backend manual page, RFC 3875). */
export function serveGit(folder: string, authorization: string): GitServer {
  const backend = `${git(folder, "--exec-path")}/git-http-backend`;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      if (request.headers.get("authorization") !== authorization) {
        return new Response("", { status: 401, headers: { "WWW-Authenticate": 'Basic realm="git"' } });
      }
      const url = new URL(request.url);
      const body = new Uint8Array(await request.arrayBuffer());
      const child = Bun.spawn([backend], {
        env: {
          PATH: process.env["PATH"] ?? "",
          GIT_PROJECT_ROOT: folder,
          GIT_HTTP_EXPORT_ALL: "1",
          PATH_INFO: decodeURIComponent(url.pathname),
          QUERY_STRING: url.search.slice(1),
          REQUEST_METHOD: request.method,
          REMOTE_USER: "somebody",
          CONTENT_TYPE: request.headers.get("content-type") ?? "",
          CONTENT_LENGTH: String(body.length),
          HTTP_CONTENT_ENCODING: request.headers.get("content-encoding") ?? "",
          GIT_PROTOCOL: request.headers.get("git-protocol") ?? "",
        },
        stdin: body,
        stdout: "pipe",
        stderr: "inherit",
      });
      return responseOf(Buffer.from(await child.stdout.bytes()));
    },
  });
  return { url: server.url.href, stop: () => server.stop(true) };
}

function responseOf(output: Buffer): Response {
  const end = output.indexOf("\r\n\r\n");
  const lines = output.toString("latin1", 0, end).split("\r\n");
  const headers = new Headers(lines.map((line) => line.split(": ", 2) as [string, string]));
  const status = Number(headers.get("status")?.split(" ")[0] ?? 200);
  headers.delete("status");
  return new Response(new Uint8Array(output.subarray(end + 4)), { status, headers });
}
