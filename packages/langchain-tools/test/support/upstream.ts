import { AudioClient, type AudioClientOptions } from '@svc-audio/core'
import {
  type ScriptedResponse,
  createTestUpstream,
  type ErrorFields,
  happy,
  type HttpReply,
  status,
  type TaskPlan,
  type TestUpstream,
  type TestUpstreamOptions,
  toneWav,
} from '@svc-audio/testing'
import { expect, onTestFinished } from 'vitest'

/** The key of every client here. No message, artifact or error may ever hold it. */
export const KEY = 'secret-key-0123456789'

/** Half a second of audio: what a scripted service speaks. */
export const WAV: Uint8Array = toneWav(0.5)

/** A scripted service that ends with its test, and a client of it. */
export interface Upstream extends Pick<TestUpstream, 'requests'> {
  readonly client: AudioClient
  /** Plans the course of the next new task. */
  readonly planTask: (plan: TaskPlan) => void
  /** Resolves when the client has closed the first connection before the answer was complete. */
  readonly abandoned: () => Promise<void>
}

/**
 * @param answer To every request.
 * @param options Further options of the client, and of the service.
 */
export async function startUpstream(
  response: ScriptedResponse = happy,
  options: AudioClientOptions & Pick<TestUpstreamOptions, 'transcript'> = {},
): Promise<Upstream> {
  const { transcript = 'hello there', ...clientOptions } = options
  const upstream = await createTestUpstream({ apiKey: KEY, transcript })
  upstream.on('*', response)
  const client = new AudioClient({ apiKey: KEY, baseUrl: upstream.url, ...clientOptions })
  onTestFinished(async () => {
    await client.close()
    await upstream.close()
  })
  return {
    client,
    requests: upstream.requests,
    planTask: (plan) => void upstream.nextTask(plan),
    async abandoned() {
      const request = await upstream.waitForRequest()
      expect(await request.closed()).toBe('closedByClient')
    },
  }
}

/** An answer in the form of the service's errors, whose text no model may see. */
export function fails(code: number, error: ErrorFields = {}, headers: Record<string, string> = {}): HttpReply {
  const message = `upstream text with ${KEY} at /srv/private`
  return status(code, { headers, error: { code: 'some_code', message, ...error } })
}
