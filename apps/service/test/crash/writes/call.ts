import { riffSize } from '../../support/audio.ts'
import { type Program, TENANTS } from '../program.ts'
import type { WriteTerms } from './write.ts'

/** A request to the service. */
export interface Call {
  readonly method?: string
  readonly path: string
  /** A form, or a value to send as JSON. */
  readonly body?: FormData | object
}

/** Sends a request with the key and tenant of a write. @throws TypeError when the service has exited */
export async function call(
  program: Program,
  { key, tenant }: WriteTerms,
  { method, path, body }: Call,
): Promise<Response> {
  const isJson = body !== undefined && !(body instanceof FormData)
  const isRead = method === undefined && body === undefined
  return fetch(`${program.url}${path}`, {
    method: isRead ? 'GET' : (method ?? 'POST'),
    headers: {
      authorization: `Bearer ${TENANTS[tenant]}`,
      ...(isRead ? {} : { 'idempotency-key': key }),
      ...(isJson ? { 'content-type': 'application/json' } : {}),
    },
    ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : body }),
  })
}

/** Reads the JSON of a response. @throws Error for a status other than 200 */
export async function responseOf<Answer>(response: Response, key: string): Promise<Answer> {
  const body = await response.text()
  if (response.status !== 200) throw new Error(`${key} got status ${response.status}: ${body}`)
  return JSON.parse(body) as Answer
}

/**
 * Downloads a result by its link, from the service's current address.
 * @throws Error when the result is missing or the WAV is incomplete
 */
export async function checkResult(program: Program, key: string, link: string): Promise<void> {
  const { pathname, search } = new URL(link)
  const response = await fetch(`${program.url}${pathname}${search}`)
  checkWav(await response.bytes(), `${key}, HTTP ${response.status}`)
}

/** @throws Error when a WAV is incomplete */
export function checkWav(bytes: Uint8Array, name: string): void {
  if (bytes.byteLength < 1000 || riffSize(bytes) !== bytes.byteLength) {
    throw new Error(`The WAV of ${bytes.byteLength} bytes is incomplete: ${name}`)
  }
}
