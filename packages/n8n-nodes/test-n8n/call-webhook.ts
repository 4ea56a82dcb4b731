import { setTimeout as delay } from 'node:timers/promises'
import type { INode } from 'n8n-workflow'
import type { N8nRest } from './rest.ts'

/** Calls a webhook, which n8n registers a moment after a workflow was published. */
export async function callWebhook(rest: N8nRest, start: INode, body: FormData | ''): Promise<Response> {
  const path = start.parameters['path'] as string
  const call = (): Promise<Response> => fetch(`${rest.url}/webhook/${path}`, { method: 'POST', body })
  let response = await call()
  for (let tries = 0; response.status === 404 && tries < 60; tries += 1) {
    await delay(500)
    response = await call()
  }
  if (!response.ok)
    throw new Error(`The workflow of ${start.name} answered ${response.status}: ${await response.text()}`)
  return response
}
