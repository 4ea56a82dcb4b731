import type { AudioClient } from '@svc-audio/core'
import type { IntegrationInfo } from '../../shared/api.ts'

/** An app under test. */
export interface RunningApp {
  readonly url: string
  /** What the app has logged. A failure shows it: the app's responses leave out the service's reasons. */
  readonly log?: readonly string[]
}

/**
 * Calls an app as its clients do: `POST /speak` with `{ text }` as JSON, then `POST /transcribe` with the audio as a
 * file in a form.
 * @throws Error with the app's response and log when the app refuses
 */
export async function roundTrip(app: RunningApp, text: string, signal: AbortSignal): Promise<IntegrationOutcome> {
  const spoken = await post(app, '/speak', jsonOf({ text }), signal)
  const type = spoken.headers.get('content-type') ?? ''
  const bytes = await spoken.bytes()
  const form = new FormData()
  form.set('file', new Blob([bytes], { type }), 'spoken.wav')
  const heard = await post(app, '/transcribe', { body: form }, signal)
  const steps = [
    `POST /speak: ${spoken.status}, ${bytes.length} bytes of ${type}`,
    `POST /transcribe: ${heard.status}, a transcript`,
  ]
  return { audio: { bytes, type }, transcript: textOf(await heard.json(), 'text'), steps }
}

/** The callback path of an app. */
export interface CallbackTrip {
  /** Waits for the task. */
  readonly client: { readonly tasks: { wait(id: string, options: { readonly signal: AbortSignal }): Promise<unknown> } }
  /** Settles with the id of the task whose callback has come. */
  readonly finished: Promise<string>
}

/** Milliseconds until a missing callback is an error. */
const CALLBACK_TIMEOUT = 30_000

/**
 * Creates a task at `POST /tasks` of an app, and waits until the service has called the app.
 * @returns a step for the page
 * @throws Error when no callback comes
 */
export async function callbackTrip(
  app: RunningApp,
  text: string,
  { client, finished }: CallbackTrip,
  signal: AbortSignal,
): Promise<string> {
  const created = await post(app, '/tasks', jsonOf({ text }), signal)
  const id = textOf(await created.json(), 'id')
  await client.tasks.wait(id, { signal })
  const late = AbortSignal.any([signal, AbortSignal.timeout(CALLBACK_TIMEOUT)])
  const called = await Promise.race([finished, aborted(late)])
  if (called !== id) throw new Error(`The app was called for ${called}, not for its task ${id}`)
  return `POST /tasks: ${created.status}, then the callback of ${id}`
}

/** The step of an app whose service cannot call it. */
export const NO_CALLBACK = 'No callback: this service cannot call this machine'

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const fail = (): void => reject(new Error('The service did not call the app', { cause: signal.reason }))
    if (signal.aborted) fail()
    signal.addEventListener('abort', fail, { once: true })
  })
}

function jsonOf(body: object): RequestInit {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

async function post(
  { url, log = [] }: RunningApp,
  path: string,
  init: RequestInit,
  signal: AbortSignal,
): Promise<Response> {
  const response = await fetch(url + path, { ...init, method: 'POST', signal })
  if (response.ok) return response
  const body = await response.text()
  const message = /"message":"([^"]+)"/.exec(body)?.[1] ?? body.slice(0, 300)
  throw new Error([`The app answered ${response.status}: ${message}`, ...log].join('\n'))
}

function textOf(response: unknown, field: string): string {
  const text: unknown = typeof response === 'object' && response !== null ? Reflect.get(response, field) : undefined
  if (typeof text === 'string') return text
  throw new Error(`The app answered without ${field === 'text' ? 'a transcript' : `the field ${field}`}`)
}

/** Input of an integration. */
export interface IntegrationContext {
  /** The text to speak. */
  readonly text: string
  readonly voice_id: string
  /** A client of the playground's service, for adapters with a `client` option. */
  readonly client: AudioClient
  /** Key and address of that service, for adapters that create their own client. */
  readonly apiKey: string
  readonly baseUrl: string
  /** Whether the service can call this machine. */
  readonly callbacks: boolean
  /** An empty folder for this run, removed afterwards. */
  readonly folder: string
  /** Aborts when the browser disconnects. */
  readonly signal: AbortSignal
}

/** Result of an integration. */
export interface IntegrationOutcome {
  /** The text, spoken. */
  readonly audio: { readonly bytes: Uint8Array; readonly type: string }
  /** The transcript of the audio. */
  readonly transcript: string
  /** What the package did, in order, for the page. */
  readonly steps: readonly string[]
}

/** The module of an integration. The page shows its marked regions. */
interface IntegrationModule {
  /** Speaks the text and transcribes the audio, through the adapter. */
  run(context: IntegrationContext): Promise<IntegrationOutcome>
}

/** An integration as the registry lists it. Its file is its id with `.ts`. */
export interface Integration extends Omit<IntegrationInfo, 'file' | 'code'> {
  /** Loads the module at its first run. A missing framework then fails its own integration only. */
  readonly load: () => Promise<IntegrationModule>
}
