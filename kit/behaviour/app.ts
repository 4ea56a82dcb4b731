import { AudioClient } from '@svc-audio/core'
import { createWebhookReceiver, type WebhookReceiver } from '@svc-audio/core/webhooks'
import { createTestUpstream, type TestUpstream } from '@svc-audio/testing'

/**
 * A running app of a framework, with the routes of the behaviour table. Its service hears "hello".
 *
 * | Route                   | Does                                                                             |
 * | ----------------------- | -------------------------------------------------------------------------------- |
 * | `POST /transcribe`      | transcribes, with `model: 'svc-transcribe-1.0'` and `maxFileSize: 100_000`       |
 * | `POST /answer`          | has `body: termsOf`, and answers with `{ text, upload }`                         |
 * | `POST /quick`           | transcribes with `timeout: 1000`                                                 |
 * | `POST /live`, `/task`   | transcribe with `respond: 'sse'` and with `respond: 'task'`                      |
 * | `POST /quota`           | has an option of the app that throws the framework's own error, with status 402  |
 * | `POST /guarded`         | answers 401 before anything reads the body                                       |
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
  /** Whether it sends or reads in pieces, or disconnects. An app without a socket gets and sends whole bodies. */
  readonly needsSocket?: boolean
}

/** Secret of the webhooks of an app. */
export const WEBHOOK_SECRET = 'a secret of thirty-two characters'

/** The `body` of `POST /answer`: keyterms from the form's fields `term`. */
export function termsOf(
  _context: unknown,
  { fields }: { readonly fields: Readonly<Record<string, readonly string[]>> },
): { model?: string; diarize?: boolean; keyterms?: readonly string[] } {
  const terms = fields['term']
  return terms === undefined ? {} : { model: 'svc-transcribe-diarize-pro', diarize: true, keyterms: terms }
}

/** The service of an app in the same process. Dispose it after the app. */
export interface BehaviourService extends AsyncDisposable, Pick<BehaviourApp, 'upstream' | 'client' | 'callback'> {
  /** Ids of the tasks whose webhooks {@link BehaviourService.receiver} has handled. */
  readonly handled: string[]
  /** The receiver of `POST /hooks`. */
  readonly receiver: WebhookReceiver
}

/** Starts a scripted service, with a client that calls once. */
export async function startBehaviourService(): Promise<BehaviourService> {
  const upstream = await createTestUpstream({ apiKey: 'sk-sekret-key', transcript: 'hello', speechSeconds: 0.2 })
  const client = new AudioClient({ apiKey: upstream.apiKey, baseUrl: upstream.url })
  const handled: string[] = []
  const receiver = createWebhookReceiver({
    client,
    url: 'https://app.example/hooks',
    secret: WEBHOOK_SECRET,
    handlers: { '*': ({ id }) => void handled.push(id) },
  })
  return {
    upstream,
    client,
    receiver,
    handled,
    callback: async () => (await receiver.createCallback()).url,
    async [Symbol.asyncDispose]() {
      await client.close()
      await upstream.close()
    },
  }
}

/** A response to a request that may fail. */
export interface SeenResponse {
  readonly status: number
  /** Code of the error, in the body of the package, of Fastify or of Nest; else none. */
  readonly code?: string
}

/** Posts a form, or a text as JSON. */
export async function post({ url }: BehaviourApp, path: string, body: FormData | string): Promise<Response> {
  const headers: Record<string, string> = typeof body === 'string' ? { 'content-type': 'application/json' } : {}
  return fetch(url + path, { method: 'POST', body, headers })
}

/** Reads the status and the error's code. */
export async function seen(response: Response): Promise<SeenResponse> {
  return seenIn(response.status, await response.text())
}

/** The status and the error's code of a read response. */
export function seenIn(status: number, body: unknown): SeenResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const code = text.startsWith('{') ? codeOf(JSON.parse(text)) : undefined
  return { status, ...(code === undefined ? {} : { code }) }
}

function codeOf(body: {
  readonly code?: string
  readonly errorCode?: string
  readonly error?: { readonly code?: string } | string
}): string | undefined {
  return typeof body.error === 'object' ? body.error.code : (body.errorCode ?? body.code)
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
