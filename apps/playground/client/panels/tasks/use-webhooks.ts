import { useEffect, useState } from 'react'
import type { WebhookAddress, WebhookArrival, WebhooksResponse } from '../../../shared/api.ts'
import { ask } from '../../lib/ask.ts'
import { useLoaded } from '../../lib/use-loaded.ts'

const PATH = '/api/webhooks'

/** The callbacks that the playground received. */
export interface WebhooksControl {
  /** Whether the service can call the playground. `undefined` until known. */
  readonly available: boolean | undefined
  /** By the id of the task. */
  readonly arrivals: ReadonlyMap<string, WebhookArrival>
}

/**
 * Follows the callbacks while one is expected.
 * @param expected Whether a task's callback has yet to arrive.
 * @param onArrival Called for each callback, for earlier ones too.
 */
export function useWebhooks(expected: boolean, onArrival: (arrival: WebhookArrival) => void): WebhooksControl {
  const [arrivals, setArrivals] = useState<ReadonlyMap<string, WebhookArrival>>(new Map())
  const { data } = useLoaded(loadWebhooks)
  const available = data?.available
  useEffect(() => {
    for (const arrival of data?.arrivals ?? []) setArrivals((before) => new Map(before).set(arrival.task_id, arrival))
  }, [data])
  useEffect(() => {
    if (!expected || available !== true) return undefined
    const events = new EventSource('/api/webhooks/events')
    events.addEventListener('message', ({ data: text }: MessageEvent<string>) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- page and server are one build
      const arrival = JSON.parse(text) as WebhookArrival
      setArrivals((before) => new Map(before).set(arrival.task_id, arrival))
      onArrival(arrival)
    })
    return () => events.close()
  }, [expected, available, onArrival])
  return { available, arrivals }
}

/** Makes the address of one task's callback. @throws ConnectionError when the playground's server does not answer */
export async function createWebhookAddress(signal: AbortSignal): Promise<string> {
  return (await ask<WebhookAddress>(fetch, PATH, { method: 'POST', signal })).url
}

function loadWebhooks(signal: AbortSignal): Promise<WebhooksResponse> {
  return ask<WebhooksResponse>(fetch, PATH, { signal })
}
