import { AudioClient } from '@svc-audio/core'
import { onTestFinished } from 'vitest'
import { createTestUpstream, type TestUpstream, type TestUpstreamOptions } from '../../src/index.ts'

/** An upstream that closes with its test. */
export async function start(options?: TestUpstreamOptions): Promise<TestUpstream> {
  const upstream = await createTestUpstream(options)
  onTestFinished(() => upstream.close())
  return upstream
}

/** A real client of it. */
export function connect({ url, apiKey }: TestUpstream): AudioClient {
  const client = new AudioClient({ apiKey, baseUrl: url })
  onTestFinished(() => client.close())
  return client
}

/** Fetches with the upstream's key. */
export function call(
  { url, apiKey }: TestUpstream,
  route: string,
  body?: object | FormData,
  init: RequestInit = {},
): Promise<Response> {
  const [method = 'GET', path = ''] = route.split(' ')
  const isForm = body === undefined || body instanceof FormData
  return fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, ...(isForm ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    ...init,
  })
}

/** The JSON response of a call. */
export async function callJson(...parameters: Parameters<typeof call>): Promise<{ status: number; body: never }> {
  const response = await call(...parameters)
  return { status: response.status, body: (await response.json()) as never }
}

/** A form with one file and text fields. */
export function form(field: string, content: Uint8Array<ArrayBuffer>, fields: Record<string, string> = {}): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  data.append(field, new Blob([content], { type: 'audio/wav' }), 'sample.wav')
  return data
}

/** The events of a stream, as the interface frames them. */
export async function readEvents(response: Response): Promise<{ type: string; [field: string]: unknown }[]> {
  const text = await response.text()
  return text
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => JSON.parse(frame.replace(/^data: /, '')))
}

export const SPEECH = { model: 'svc-tts-1.5-flash', input: 'Good morning', voice_id: 'voice-1' }
