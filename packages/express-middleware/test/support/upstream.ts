import {
  type Answer,
  createTestUpstream,
  type ErrorFields,
  happy,
  type HttpReply,
  type RecordedRequest,
  status,
  type TestUpstream,
} from '@svc-audio/testing'
import { expect } from 'vitest'
import { KEY } from './app.ts'

/** A scripted service that knows the app's key and hears `hello` in everything. */
export async function startUpstream(answer: Answer = happy): Promise<TestUpstream> {
  const upstream = await createTestUpstream({ apiKey: KEY, transcript: 'hello' })
  return upstream.on('*', answer)
}

/** Waits until the app has closed the connection of a request that was not answered to its end. */
export async function left(request: RecordedRequest): Promise<void> {
  expect(await request.closed()).toBe('closedByClient')
}

/** An error of the service, whose words nobody outside may see. */
export function fails(code: number, message: string, error: ErrorFields = {}): HttpReply {
  const headers = { 'retry-after': '7', 'x-request-id': 'sekret' }
  return status(code, { headers, error: { code: 'sekret_code', message, ...error } })
}
