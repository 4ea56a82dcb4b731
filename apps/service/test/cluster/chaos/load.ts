import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Random, SEED } from '@svc-audio/kit/engine-fixtures/random.ts'
import type { ClusterNode } from './nodes.ts'

const random = new Random(SEED)

/** The kinds of requests: two kinds of tasks, and an uploaded file. */
export type OrderKind = 'speech' | 'transcription' | 'file'

/** Something that the cluster has accepted. */
export interface Accepted {
  readonly id: string
  readonly kind: OrderKind
  readonly tenant: string
  /** The text to speak, or the content of the file. */
  readonly content: string
}

/** What the clients have seen. */
export interface Load {
  readonly accepted: Accepted[]
  /** Answers by status and code, for example `503 database_unavailable`, and `no connection`. */
  readonly answers: Map<string, number>
  /** Sends no new request. Resolves when each request is accepted. */
  stop(): Promise<void>
}

/** Options of {@link startLoad}. */
export interface LoadOptions {
  readonly apis: readonly ClusterNode[]
  /** Address of the webhooks. */
  readonly hook: string
  readonly clients: number
  /** Mean pause of a client between two requests, in milliseconds. */
  readonly pause: number
}

/** Longest wait for a response, in milliseconds. The request is repeated at any process. */
const ANSWER_MS = 10_000

const TENANTS = ['first', 'second']

/** Half of the requests are speech, the others send a file. */
const KINDS: readonly OrderKind[] = ['speech', 'speech', 'transcription', 'file']

/** Returns the header with a tenant's key. */
export function keyOf(tenant: string): { readonly authorization: string } {
  return { authorization: `Bearer key-of-${tenant}` }
}

/**
 * Sends requests until it is stopped. Each client repeats a request under its idempotency key until it is accepted, each
 * time at any of the processes.
 */
export function startLoad({ apis, hook, clients, pause }: LoadOptions): Load {
  const load = { accepted: new Array<Accepted>(), answers: new Map<string, number>() }
  const stop = new AbortController()
  const count = (response: string): void => void load.answers.set(response, (load.answers.get(response) ?? 0) + 1)
  const client = async (tenant: string): Promise<void> => {
    while (!stop.signal.aborted) {
      const order = { kind: random.pick(KINDS), tenant, content: newContent() } as const
      const key = randomUUID()
      let id: string | undefined
      while (id === undefined) {
        const { url } = random.pick(apis)
        if (url !== undefined) id = await send(url, requestOf(order, key, hook), count)
        if (id === undefined) await sleep(100)
      }
      load.accepted.push({ id, ...order })
      await sleep(random.between(0, 2 * pause))
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

/** A text that no other request has, of an even number of letters. */
function newContent(): string {
  const name = randomBytes(16)
    .toString('hex')
    .replaceAll(/\d/g, (digit) => 'ghijklmnop'.charAt(Number(digit)))
  return name + 'xx'.repeat(random.whole(0, 249))
}

interface Request {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | FormData
}

function requestOf({ kind, tenant, content }: Omit<Accepted, 'id'>, key: string, hook: string): Request {
  const headers = { ...keyOf(tenant), 'idempotency-key': key }
  if (kind === 'speech') {
    const speech = { model: 'svc-tts-1.0-pro', voice_id: 'v', response_format: 'wav', input: content }
    const body = JSON.stringify({ ...speech, async: true, webhook_url: hook })
    return { path: '/v1/audio/speech', headers: { ...headers, 'content-type': 'application/json' }, body }
  }
  const body = new FormData()
  if (kind === 'transcription') {
    const fields = { model: 'svc-transcribe-1.0', async: 'true', webhook_url: hook }
    for (const [name, value] of Object.entries(fields)) body.set(name, value)
  }
  body.set('file', new Blob([content]), 'recording.wav')
  return { path: kind === 'file' ? '/v1/files' : '/v1/audio/transcriptions', headers, body }
}

/** @returns The id of the accepted task or file; `undefined` when the request must be repeated */
async function send(
  url: string,
  { path, headers, body }: Request,
  count: (response: string) => void,
): Promise<string | undefined> {
  try {
    const response = await fetch(url + path, {
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    const content = (await response.json()) as { readonly id?: string; readonly error?: { readonly code: string } }
    const isLater = response.status === 503 && !response.headers.has('retry-after')
    count(`${response.status} ${content.error?.code ?? 'accepted'}${isLater ? ' without Retry-After' : ''}`)
    return content.id
  } catch {
    count('no connection')
    return undefined
  }
}
