import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'

/** Path under which results are served. */
export const RESULTS_PATH = '/v1/audio/results'

/** Makes and checks the URLs of results: signed and expiring, so that a player needs no key. */
export interface ResultLinks {
  /** A URL for a result that works until it expires. */
  create(name: string): string
  /** Whether this signature is ours and has not expired. */
  verify(name: string, expires: string, signature: string): boolean
}

/** What {@link createResultLinks} needs. */
export interface ResultLinksOptions {
  readonly secret: string
  /** Address of the service as its callers reach it, without a slash at the end; asked again for each link. */
  readonly publicUrl: () => string
  /** How long a link works, in seconds. @default 86400 */
  readonly lifetimeSeconds?: number
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number
}

/** Links signed with HMAC-SHA-256 over name and expiry. */
export function createResultLinks(options: ResultLinksOptions): ResultLinks {
  const { secret, publicUrl, lifetimeSeconds = 86_400, now = Date.now } = options
  const key = createSecretKey(secret, 'utf8')
  const sign = (name: string, expires: string): string =>
    createHmac('sha256', key).update(`${name}\n${expires}`).digest('base64url')
  return {
    create(name) {
      const expires = String(Math.floor(now() / 1000) + lifetimeSeconds)
      return `${publicUrl()}${RESULTS_PATH}/${name}?expires=${expires}&signature=${sign(name, expires)}`
    },
    verify(name, expires, signature) {
      const given = Buffer.from(signature)
      const right = Buffer.from(sign(name, expires))
      if (given.length !== right.length || !timingSafeEqual(given, right)) return false
      return Number(expires) * 1000 > now()
    },
  }
}
