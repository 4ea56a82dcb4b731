import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClusterNode } from './nodes.ts'

/** A task that the cluster has accepted. */
export interface AcceptedTask {
  readonly id: string
  readonly tenant: string
  readonly input: string
}

/** What the clients have seen. */
export interface Load {
  readonly accepted: AcceptedTask[]
  /** Answers by status and code, for example `503 database_unavailable`, and `no connection`. */
  readonly answers: Map<string, number>
  /** Sends no new request. Resolves when each request is accepted. */
  stop(): Promise<void>
}

const TENANTS = ['first', 'second']

/**
 * Sends tasks until it is stopped. Each client repeats a request under its idempotency key until it is accepted, each
 * time at any of the processes.
 */
export function startLoad(apis: readonly ClusterNode[], hook: string, clients: number, pause: number): Load {
  const load = { accepted: new Array<AcceptedTask>(), answers: new Map<string, number>() }
  const stop = new AbortController()
  const count = (answer: string): void => void load.answers.set(answer, (load.answers.get(answer) ?? 0) + 1)
  const client = async (tenant: string): Promise<void> => {
    while (!stop.signal.aborted) {
      const input = 'x'.repeat(1 + Math.floor(Math.random() * 500))
      const key = randomUUID()
      let id: string | undefined
      while (id === undefined) {
        const { url } = apis[Math.floor(Math.random() * apis.length)] ?? {}
        if (url !== undefined) id = await post({ url, tenant, key, input, hook }, count)
        if (id === undefined) await sleep(100)
      }
      load.accepted.push({ id, tenant, input })
      await sleep(pause * Math.random() * 2)
    }
  }
  const running = Array.from({ length: clients }, (_, n) => client(TENANTS[n % TENANTS.length] ?? 'first'))
  return {
    ...load,
    async stop() {
      stop.abort()
      await Promise.all(running)
    },
  }
}

interface Order {
  readonly url: string
  readonly tenant: string
  readonly key: string
  readonly input: string
  readonly hook: string
}

/** @returns The id of the accepted task; `undefined` when the request must be repeated */
async function post(
  { url, tenant, key, input, hook }: Order,
  count: (answer: string) => void,
): Promise<string | undefined> {
  const body = {
    model: 'svc-tts-1.0-pro',
    voice_id: 'v',
    response_format: 'wav',
    async: true,
    webhook_url: hook,
    input,
  }
  try {
    const answer = await fetch(`${url}/v1/audio/speech`, {
      method: 'POST',
      headers: {
        authorization: `Bearer key-of-${tenant}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    })
    const content = (await answer.json()) as { readonly id?: string; readonly error?: { readonly code: string } }
    count(`${answer.status} ${content.error?.code ?? 'accepted'}`)
    return content.id
  } catch {
    count('no connection')
    return undefined
  }
}
