// A session whose model is a server on this machine, for what only the bytes on the wire can show.
import { type Answer, serveAnswers, type TestServer } from "../helpers/server.ts";
import { type Session, type SessionOptions, withSession } from "./world.ts";

/** Opens a session over a server that plays answers; both end with `work`. */
export async function withServer(
  answers: readonly Answer[],
  { args = [], ...options }: Omit<SessionOptions, "replies">,
  work: (session: Session & { readonly server: TestServer }) => Promise<void>,
): Promise<void> {
  const server = serveAnswers(answers);
  try {
    await withSession(
      { ...options, replies: [{ text: "" }], args: ["-m", "wire", "--base-url", server.baseUrl, ...args] },
      (session) => work({ ...session, server }),
    );
  } finally {
    await server.close();
  }
}
