import { decodeBase64 } from '../bytes.ts'
import { ConfigurationError, SvcAudioError } from '../errors.ts'
import { checkTask, isTerminal } from '../tasks/index.ts'
import type { SpeechTask, Task, TranscriptionTask } from '../wire/index.ts'
import { type Bytes, encodeBase64, hmac, hmacKey, utf8, verifyHmac } from './hmac.ts'

/** Minimum bytes of a signing secret. */
const MIN_SECRET_BYTES = 16

/** Largest difference of the two clocks in seconds, network delay included. */
const TOLERANCE_SECONDS = 300

/** A message to sign. */
export interface SignWebhookOptions {
  /** Unique for the message and the same in each attempt: visible ASCII characters, but no dot. */
  readonly id: string
  /** Time of sending, in Unix seconds. */
  readonly timestamp: number
  /** The exact body to send. */
  readonly body: string | Uint8Array
  /**
   * Base64, with or without the prefix `whsec_`. Several secrets make one signature each, so the receiver needs only
   * one of them.
   */
  readonly secret: string | readonly string[]
}

/** The headers of a signed message. */
export interface WebhookHeaders {
  /** Id of the message. A repeated message has the same id. */
  readonly 'webhook-id': string
  /** Unix seconds of the attempt. */
  readonly 'webhook-timestamp': string
  /** Signatures, separated by spaces. */
  readonly 'webhook-signature': string
}

/** Headers by name. */
export type HeaderRecord = Readonly<Record<string, string | readonly string[] | undefined>>

/** A received message. */
export interface VerifyWebhookOptions {
  /** `Headers`, or an object of headers as Node and Express have it. Names are case-insensitive. */
  readonly headers: Pick<Headers, 'get'> | HeaderRecord
  /** The exact received body, not parsed and serialized again. */
  readonly body: string | Uint8Array
  /**
   * Base64 of at least 16 bytes, with or without the prefix `whsec_`. One of several must match. The standard asks
   * for 24 bytes.
   */
  readonly secret: string | readonly string[]
  /** Current time, in Unix seconds, not milliseconds. @default the system's clock */
  readonly now?: number
  /** Largest difference of the sender's clock in seconds, either way. @default 300 */
  readonly toleranceSeconds?: number
}

/**
 * Signs a message by the Standard Webhooks scheme (`v1`, HMAC-SHA-256) and returns its headers.
 * @throws ConfigurationError for an invalid secret, id or time
 */
export async function signWebhook({ id, timestamp, body, secret }: SignWebhookOptions): Promise<WebhookHeaders> {
  if (!ID.test(id)) throw new ConfigurationError('id must be of visible ASCII characters without a dot')
  if (!Number.isSafeInteger(timestamp) || timestamp < 0) {
    throw new ConfigurationError('timestamp must be whole Unix seconds')
  }
  checkSeconds(timestamp, 'timestamp')
  const message = signed(id, String(timestamp), body)
  const keys = await Promise.all(readSigningSecrets(secret).map(hmacKey))
  const signatures = await Promise.all(keys.map(async (key) => `v1,${encodeBase64(await hmac(key, message))}`))
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') }
}

/**
 * Whether a message is fresh, and signed with one of these secrets by the Standard Webhooks scheme.
 * @throws ConfigurationError for an invalid secret, and for a time in milliseconds
 */
export async function verifyWebhook(options: VerifyWebhookOptions): Promise<boolean> {
  const { headers, body, now = Date.now() / 1000, toleranceSeconds = TOLERANCE_SECONDS } = options
  checkSeconds(now, 'now')
  const keys = await Promise.all(readSigningSecrets(options.secret).map(hmacKey))
  const header = headerReader(headers)
  const id = header('webhook-id')
  const timestamp = header('webhook-timestamp')
  const codes = header('webhook-signature').split(' ').flatMap(readSignature)
  const isSigned = await verifyHmac(keys, codes, signed(id, timestamp, body))
  // A dot in the id or the time would make the signed parts ambiguous. The standard warns of it; its own library does not
  // check.
  return (
    isSigned && !id.includes('.') && SECONDS.test(timestamp) && Math.abs(now - Number(timestamp)) <= toleranceSeconds
  )
}

/**
 * Decodes signing secrets.
 * @throws ConfigurationError without the secrets in its message
 */
export function readSigningSecrets(secret: string | readonly string[]): Bytes[] {
  const secrets = [secret].flat()
  if (secrets.length === 0) throw new ConfigurationError('The signing secret is missing')
  return secrets.map((one) => {
    const bytes = decodeBase64(one.replace(/^whsec_/, ''))
    if (bytes === undefined || bytes.length < MIN_SECRET_BYTES) {
      throw new ConfigurationError(
        `A signing secret must be Base64 of at least ${MIN_SECRET_BYTES} bytes, with or without whsec_ before it`,
      )
    }
    return new Uint8Array(bytes)
  })
}

/** Reads a header, empty when absent. */
function headerReader(headers: VerifyWebhookOptions['headers']): (name: string) => string {
  const { get } = headers
  if (typeof get === 'function') return (name) => Reflect.apply(get, headers, [name]) ?? ''
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return (name) => {
    const value = byName.get(name)
    return typeof value === 'string' ? value : Array.isArray(value) ? value.join(' ') : ''
  }
}

/** Unix seconds reach this number in the year 5138. Milliseconds passed it in 1973. */
const FIRST_MILLISECONDS = 100_000_000_000

/** With milliseconds every message would look expired. */
function checkSeconds(value: number, name: string): void {
  if (Number.isFinite(value) && value < FIRST_MILLISECONDS) return
  throw new ConfigurationError(`${name} must be Unix seconds, got ${value}: divide Date.now() by 1000`)
}

/** Visible ASCII without the dot. */
const ID = /^[!-\-/-~]+$/
const SECONDS = /^\d{1,12}$/

/** Reads `v1,` and Base64. Signatures of other schemes are ignored, and so is the comma that joins two headers. */
function readSignature(text: string): Bytes[] {
  const [version, code = ''] = text.split(',')
  const bytes = version === 'v1' ? decodeBase64(code) : undefined
  return bytes === undefined ? [] : [new Uint8Array(bytes)]
}

function signed(id: string, timestamp: string, body: string | Uint8Array): Bytes {
  const head = utf8(`${id}.${timestamp}.`)
  const content = typeof body === 'string' ? utf8(body) : body
  const message = new Uint8Array(head.length + content.length)
  message.set(head)
  message.set(content, head.length)
  return message
}

/** A call does not come from the service, or is not a finished task. Answer it with 401. */
export class WebhookVerificationError extends SvcAudioError {
  static override get kind(): string {
    return 'WebhookVerificationError'
  }

  /** The class name: programs compare it, or call `isInstance`. */
  override readonly name = 'WebhookVerificationError' as const
}

/** A finished task, as a signed call tells it. `object` says what it made. */
export type WebhookEvent =
  | (SpeechTask & {
      /** What the task made. */
      readonly object: 'audio.speech' | 'audio.voice_generation'
      /** The terminal state. */
      readonly status: 'SUCCESS' | 'FAILED'
    })
  | (TranscriptionTask & {
      /** What the task made. */
      readonly object: 'audio.transcription'
      /** The terminal state. */
      readonly status: 'SUCCESS' | 'FAILED'
    })

/**
 * Verifies a signed call of the service and returns the finished task. The interface does not document the payload of a
 * call: the self-hosted service sends the task. For a service that does not sign, use `createWebhookReceiver()`.
 *
 * @example
 * const task = await unwrapWebhook({ body: await request.text(), headers: request.headers, secret })
 * if (task.object === 'audio.transcription') console.log(task.text)
 *
 * @throws WebhookVerificationError if the signature does not match, or the body is not a finished task
 * @throws ConfigurationError for an invalid secret
 */
export async function unwrapWebhook(options: VerifyWebhookOptions): Promise<WebhookEvent> {
  if (!(await verifyWebhook(options))) {
    throw new WebhookVerificationError(
      'The signature does not match: pass the exact body and the secret of the service',
    )
  }
  const { body } = options
  try {
    const task: Task = checkTask(JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)))
    if (isTerminal(task)) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- signed by the service, whose objects these are
      return task as WebhookEvent
    }
  } catch (cause) {
    throw new WebhookVerificationError('The signed body is not a task', { cause })
  }
  throw new WebhookVerificationError('The signed body is a task that has not ended')
}
