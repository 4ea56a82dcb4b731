import { ByteBuilder } from '../bytes.ts'
import { ConfigurationError } from '../errors.ts'
import { type Bytes, decodeBase64Url, encodeBase64Url, hmac, type HmacKey, hmacKey, utf8, verifyHmac } from './hmac.ts'

/** Minimum characters of a secret. */
const MIN_SECRET_LENGTH = 32

/** Maximum characters of a caller's state. The address must stay short enough for every service. */
const MAX_STATE_LENGTH = 256

/** Version, nonce, expiry in Unix seconds and state, then their code. */
const TOKEN = /^(v1\.([\w-]{22})\.(\d{1,12})\.([\w-]{0,1400}))\.([\w-]{43})$/

/** Replaces an unreadable code, so refusing a malformed token takes as long as refusing a forged one. */
const NO_CODE: Bytes = new Uint8Array(32)

/** Content of a token. */
export interface CallbackClaim {
  /** Random, unique for each token. */
  readonly nonce: string
  /** The state of the caller, unchanged. */
  readonly state: string | undefined
}

/** Makes and checks the tokens of callback addresses. The first secret signs; all secrets are accepted. */
export class CallbackTokens {
  readonly #secrets: readonly string[]
  #keys: Promise<HmacKey[]> | undefined

  /** @throws ConfigurationError for a secret that is missing or too short */
  constructor(secret: string | readonly string[]) {
    this.#secrets = [secret].flat()
    if (this.#secrets.length === 0 || !this.#secrets.every(isLong)) {
      throw new ConfigurationError(`secret must have at least ${MIN_SECRET_LENGTH} characters, best made at random`)
    }
  }

  /**
   * Makes a token.
   * @param expiresAt Unix seconds
   * @throws ConfigurationError when the state is too long
   */
  async issue(expiresAt: number, state: string | undefined): Promise<{ token: string; nonce: string }> {
    if (state !== undefined && state.length > MAX_STATE_LENGTH) {
      throw new ConfigurationError(`state must have at most ${MAX_STATE_LENGTH} characters`)
    }
    const nonce = encodeBase64Url(crypto.getRandomValues(new Uint8Array(16)))
    const claim = `v1.${nonce}.${expiresAt}.${encodeBase64Url(utf8(state ?? ''))}`
    const [key] = await this.#loadKeys()
    if (key === undefined) throw new ConfigurationError('secret is missing')
    return { token: `${claim}.${encodeBase64Url(await hmac(key, signed(claim)))}`, nonce }
  }

  /** The content of a token. `undefined` if it is malformed, forged or expired. @param now Unix seconds */
  async verify(token: string, now: number): Promise<CallbackClaim | undefined> {
    const [, claim = '', nonce = '', expiresAt = '', state = '', spelled = ''] = TOKEN.exec(token) ?? []
    const code = decodeBase64Url(spelled)
    const isGenuine = await verifyHmac(await this.#loadKeys(), [code?.length === 32 ? code : NO_CODE], signed(claim))
    if (!isGenuine || now >= Number(expiresAt)) return undefined
    return { nonce, state: state === '' ? undefined : new TextDecoder().decode(decodeBase64Url(state)) }
  }

  #loadKeys(): Promise<HmacKey[]> {
    this.#keys ??= Promise.all(this.#secrets.map((secret) => hmacKey(utf8(secret))))
    return this.#keys
  }
}

function isLong(secret: unknown): boolean {
  return typeof secret === 'string' && secret.length >= MIN_SECRET_LENGTH
}

/** The signed text contains its purpose, so other codes of the same secret are not tokens. */
function signed(claim: string): Bytes {
  return utf8(`svc-audio callback ${claim}`)
}

/** Maximum bytes to read of a callback body. */
const MAX_BODY_BYTES = 1024 * 1024

/** Reads the body of a callback. Returns `undefined`, and stops reading, if it is larger than 1 MB. */
export async function readCallbackBody(request: Request): Promise<Uint8Array | undefined> {
  if (Number(request.headers.get('content-length')) > MAX_BODY_BYTES) return undefined
  const reader = request.body?.getReader()
  const bytes = new ByteBuilder()
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true }
    if (done || value === undefined) return bytes.take()
    if (bytes.length + value.length > MAX_BODY_BYTES) {
      await reader?.cancel()
      return undefined
    }
    bytes.push(value)
  }
}

/**
 * Possible task ids in a callback body. The payload is not documented (interface: Webhook): `task_id` of a JSON object
 * counts first, then its `id`. Any other body has none.
 */
export function namedTasks(body: Uint8Array): string[] {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder().decode(body))
  } catch {
    return []
  }
  if (typeof value !== 'object' || value === null) return []
  return ['task_id', 'id'].map((name): unknown => Reflect.get(value, name)).filter(isTaskId)
}

/** Whether a value is a safe path segment. It becomes part of an address. */
function isTaskId(value: unknown): value is string {
  return typeof value === 'string' && /^(?!\.{1,2}$)[^\s/\\?#%]{1,256}$/.test(value)
}
