import { decodeBase64 } from '../bytes.ts'

/** Bytes for Web Crypto. */
export type Bytes = Uint8Array<ArrayBuffer>

/** A key of Web Crypto. */
export type HmacKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' }

/** Makes a non-extractable key for HMAC-SHA-256. */
export async function hmacKey(secret: Bytes): Promise<HmacKey> {
  return crypto.subtle.importKey('raw', secret, ALGORITHM, false, ['sign'])
}

/** Returns the code of a message. */
export async function hmac(key: HmacKey, message: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, message))
}

/**
 * Whether any code matches the message under any key. Every byte of every pair is compared, so the time reveals neither a
 * match nor its position. A long list of codes costs no more of Web Crypto than one.
 */
export async function verifyHmac(keys: readonly HmacKey[], codes: readonly Bytes[], message: Bytes): Promise<boolean> {
  const expected = await Promise.all(keys.map((key) => hmac(key, message)))
  return expected.flatMap((own) => codes.map((code) => isEqual(own, code))).includes(true)
}

function isEqual(own: Bytes, code: Bytes): boolean {
  let difference = own.length ^ code.length
  for (const [index, byte] of own.entries()) difference |= byte ^ (code[index] ?? 0)
  return difference === 0
}

/** Encodes a text as UTF-8. */
export function utf8(text: string): Bytes {
  return new TextEncoder().encode(text)
}

/** Base64 of the standard alphabet, padded. */
export function encodeBase64(bytes: Bytes): string {
  return btoa(String.fromCharCode(...bytes))
}

/** Base64 for addresses, without padding (RFC 4648, section 5). */
export function encodeBase64Url(bytes: Bytes): string {
  return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Decodes the exact output of {@link encodeBase64Url}. Returns `undefined` for any other text. */
export function decodeBase64Url(text: string): Bytes | undefined {
  const decoded = decodeBase64(text.replaceAll('-', '+').replaceAll('_', '/'))
  if (decoded === undefined) return undefined
  const bytes = new Uint8Array(decoded)
  return encodeBase64Url(bytes) === text ? bytes : undefined
}
