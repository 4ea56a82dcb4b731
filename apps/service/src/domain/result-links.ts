import { hash, timingSafeEqual } from 'node:crypto'
import { wallClockNow } from './clock.ts'

/** Path under which results are served. */
export const RESULTS_PATH = '/v1/audio/results'

/** Name of the secret that signs links to results. */
export const LINK_SECRET = 'result-links'

/** Creates and checks the URLs of results. They are signed and expire, and a player needs no key. */
export interface ResultLinks {
  /** Creates a URL for a result. */
  create(name: string): string
  /** Whether the signature is valid and has not expired. */
  verify(name: string, expires: string, signature: string): boolean
}

/** Options of {@link createResultLinks}. */
export interface ResultLinksOptions {
  /** The secret that signs, then former ones that still verify. Called for each link. */
  readonly secrets: () => readonly string[]
  /** Public address of the service, without a slash at the end. Called for each link. */
  readonly publicUrl: () => string
  /** Lifetime of a link, in seconds. @default 86400 */
  readonly lifetimeSeconds?: number
  /** Returns milliseconds since 1970. @default the time of the service */
  readonly now?: () => number
}

/** Creates links that are signed with HMAC-SHA-256 over name and expiry. */
export function createResultLinks(options: ResultLinksOptions): ResultLinks {
  const { secrets, publicUrl, lifetimeSeconds = 86_400, now = wallClockNow } = options
  const signers = new Map<string, (text: string) => string>()
  const sign = (secret: string, name: string, expires: string): string => {
    let signer = signers.get(secret)
    if (signer === undefined) signers.set(secret, (signer = createSigner(secret)))
    return signer(`${name}\n${expires}`)
  }
  return {
    create(name) {
      const expires = String(Math.floor(now() / 1000) + lifetimeSeconds)
      const [current = ''] = secrets()
      const signature = sign(current, name, expires)
      return `${publicUrl()}${RESULTS_PATH}/${name}?expires=${expires}&signature=${signature}`
    },
    verify(name, expires, signature) {
      const given = Buffer.from(signature)
      const isRight = secrets().some((secret) => {
        const right = Buffer.from(sign(secret, name, expires))
        return given.length === right.length && timingSafeEqual(given, right)
      })
      return isRight && Number(expires) * 1000 > now()
    },
  }
}

/** Length of a block of SHA-256, in bytes. */
const BLOCK = 64

/**
 * Returns HMAC-SHA-256 with a key, in Base64 for URLs (RFC 2104). `createHmac` makes a stream and a native object for each
 * text, which take a sixth of the processor time of a finished task's response.
 */
export function createSigner(secret: string): (text: string) => string {
  const key = Buffer.alloc(BLOCK)
  const bytes = Buffer.from(secret)
  key.set(bytes.length > BLOCK ? hash('sha256', bytes, 'buffer') : bytes)
  const [inner, outer] = [key.map((byte) => byte ^ 0x36), key.map((byte) => byte ^ 0x5c)]
  return (text) => {
    const digest = hash('sha256', Buffer.concat([inner, Buffer.from(text)]), 'buffer')
    return hash('sha256', Buffer.concat([outer, digest]), 'base64url')
  }
}
