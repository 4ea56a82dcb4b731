import { useCallback, useEffect, useState } from 'react'
import type { WebhookAddress, WebhookArrival, WebhooksAnswer } from '../../../shared/api.ts'
import { useLoaded } from '../../lib/use-loaded.ts'

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
  const answer = useLoaded(useCallback((signal: AbortSignal) => ask<WebhooksAnswer>('GET', signal), []))
  const { data } = answer
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

/** Makes the address of one task's callback. @throws Error when the playground's server does not answer */
export async function createWebhookAddress(signal: AbortSignal): Promise<string> {
  return (await ask<WebhookAddress>('POST', signal)).url
}

async function ask<Answer>(method: 'GET' | 'POST', signal: AbortSignal): Promise<Answer> {
  const response = await fetch('/api/webhooks', { method, signal })
  if (!response.ok) throw new Error(`The playground's server answered ${response.status}`)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- page and server are one build
  return (await response.json()) as Answer
}
