import { curlCommand, curlJson } from '../code/curl.ts'
import type { Exchange } from './exchange.ts'

/**
 * A command that sends a request again, with the key from the environment. It leaves out an idempotency key: the service
 * would repeat the first response.
 * @returns `undefined` for a form and for a long body, which the inspector does not store whole
 */
export function exchangeCurl({ method, path, requestBody }: Exchange): string | undefined {
  const parts = method === 'GET' || (method === 'POST' && requestBody !== undefined) ? [] : [`--request ${method}`]
  if (requestBody === undefined) return `${curlCommand(path, parts)}\n`
  const body = jsonObject(requestBody)
  return body === undefined ? undefined : curlJson(path, body, parts)
}

function jsonObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
