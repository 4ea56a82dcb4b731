import type { AudioClient } from '@svc-audio/core'
import type { TestUpstream } from '@svc-audio/testing'

/**
 * A running app of a framework, with the routes of the behaviour table. Its service hears "hello".
 *
 * | Route                   | Does                                                                             |
 * | ----------------------- | -------------------------------------------------------------------------------- |
 * | `POST /transcribe`      | transcribes, with `model: 'svc-transcribe-1.0'` and `maxFileSize: 100_000`       |
 * | `POST /answer`          | answers with `{ text, name }` of the transcription and the file                  |
 * | `POST /live`, `/task`   | transcribe with `respond: 'sse'` and with `respond: 'task'`                      |
 * | `POST /quota`           | has an option of the app that throws the framework's own error, with status 402  |
 * | `POST /files`           | streams the file into `files.create`                                             |
 * | `GET, POST /speak`      | speak with the voice `rms`                                                       |
 * | `POST /pcm`, `/events`  | speak with `respond: 'pcm'` and with `respond: 'sse'`                            |
 * | `GET /play/:id`         | serves the audio of a task                                                       |
 * | `POST /hooks`           | receives webhooks                                                                |
 */
export interface BehaviourApp {
  readonly url: string
  readonly upstream: TestUpstream
  /** A client of the upstream, for tasks. */
  readonly client: AudioClient
  /** Makes an address for a webhook, with its token. */
  readonly callback: () => Promise<string>
  /** Ids of the tasks whose webhooks were handled. */
  readonly handled: () => readonly string[] | Promise<readonly string[]>
}

/** One fact about an app. */
export interface BehaviourRow {
  /** A whole sentence. */
  readonly fact: string
  readonly observe: (app: BehaviourApp) => Promise<unknown>
  /** What is observed in every framework. */
  readonly expected: unknown
}

/** A response to a request that may fail. */
export interface SeenResponse {
  readonly status: number
  /** Code of the error, in the body of the package or of Fastify; else none. */
  readonly code?: string
}

/** Posts a form, or a text as JSON. */
export async function post({ url }: BehaviourApp, path: string, body: FormData | string): Promise<Response> {
  const headers: Record<string, string> = typeof body === 'string' ? { 'content-type': 'application/json' } : {}
  return fetch(url + path, { method: 'POST', body, headers })
}

/** Reads the status and the error's code. */
export async function seen(response: Response): Promise<SeenResponse> {
  const code = codeOf(await response.text())
  return { status: response.status, ...(code === undefined ? {} : { code }) }
}

/** Calls of the service since an earlier count. Waits for the first. */
export async function nextCall(
  { upstream }: BehaviourApp,
  before: number,
): Promise<BehaviourApp['upstream']['requests'][number]> {
  const end = performance.now() + 60_000
  while (performance.now() < end) {
    const call = upstream.requests[before]
    if (call !== undefined) return call
    await new Promise((resolve) => void setTimeout(resolve, 10))
  }
  throw new Error('The app made no call')
}

function codeOf(text: string): string | undefined {
  if (!text.startsWith('{')) return undefined
  const body: { readonly code?: string; readonly error?: { readonly code?: string } | string } = JSON.parse(text)
  return typeof body.error === 'object' ? body.error.code : body.code
}
