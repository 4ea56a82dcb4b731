import { createHmac } from 'node:crypto'
import type { Task } from '@svc-audio/core'

/** One call of a `webhook_url`. */
export interface WebhookDelivery {
  /** The task that ended. */
  readonly taskId: string
  /** Its `webhook_url`. */
  readonly url: string
  /** Status of the receiver's response; absent without a response. */
  readonly status?: number
  /** Why no response came. */
  readonly error?: unknown
}

/** Dependencies of a delivery. */
export interface WebhookOptions {
  readonly secret?: string | undefined
  /** Now, in Unix seconds. */
  readonly seconds: number
  readonly signal: AbortSignal
}

/**
 * Posts a finished task to its `webhook_url`, once. `http` addresses are called too.
 * The interface leaves payload and headers open. Like the self-hosted service, it posts the task object with the
 * headers of Standard Webhooks.
 */
export async function callWebhook(url: string, task: Task, options: WebhookOptions): Promise<WebhookDelivery> {
  const body = JSON.stringify(task)
  const id = `msg-${task.id}`
  const timestamp = String(options.seconds)
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
  }
  if (options.secret !== undefined) headers['webhook-signature'] = sign(options.secret, `${id}.${timestamp}.${body}`)
  try {
    const { signal } = options
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    await response.body?.cancel()
    return { taskId: task.id, url, status: response.status }
  } catch (error) {
    return { taskId: task.id, url, error }
  }
}

function sign(secret: string, content: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`
}
