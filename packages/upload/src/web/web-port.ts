import { requestText } from '../speech/speech-text.ts'
import { readJson } from './read-json.ts'
import type { ServerPort } from './server-port.ts'
import { fromWebRequest, webDisconnectSignal } from './web-request.ts'

/**
 * The argument of a route function in a framework that speaks fetch: the request itself (Next.js, Bun, Deno, Workers), or
 * an object with the request (SvelteKit, React Router, Astro, Elysia).
 */
export type WebContext =
  | Request
  | {
      /** The request. */
      readonly request: Request
    }

/** The request of a route function's argument. */
export function requestOf(context: WebContext): Request {
  return 'request' in context ? context.request : context
}

/** The parts of a Web request. */
export function webPort<Context extends WebContext>(): ServerPort<Context> {
  return {
    context: (context) => context,
    upload: (context) => fromWebRequest(requestOf(context)),
    signal: (context) => webDisconnectSignal(requestOf(context)),
    method: (context) => requestOf(context).method,
    path: (context) => new URL(requestOf(context).url).pathname,
    header: (context, name) => requestOf(context).headers.get(name) ?? undefined,
    text: (context) => webText(requestOf(context)),
    taskId: () => '',
  }
}

/** Reads `text` of a JSON body, else of the query. */
export async function webText(request: Request): Promise<string> {
  const query = new URL(request.url).searchParams.getAll('text')
  return requestText({ body: await readJson(request), query: query.length === 1 ? query[0] : undefined })
}
