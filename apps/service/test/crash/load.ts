import { setTimeout as sleep } from 'node:timers/promises'
import { wavHeader } from '@svc-audio/core/streaming'
import { riffSize } from '../support/audio.ts'
import { TENANTS } from './program.ts'

/** A request for a task, under its Idempotency-Key. */
export interface Request {
  readonly key: string
  readonly tenant: keyof typeof TENANTS
  readonly kind: 'speech' | 'transcription'
  readonly webhookUrl: string
  /** The task that was acknowledged; `undefined` when no answer came. */
  taskId: string | undefined
}

/** A task as the service shows it. */
export interface SeenTask {
  readonly status: string
  readonly url?: string
  readonly error?: { readonly code: string }
  readonly webhook?: { readonly status: string }
}

const SILENCE = new Uint8Array(16_000)

/** Sends a request, for the first time or again. Its answer has come whole when this resolves. */
export async function send(url: string, request: Request): Promise<string> {
  const { key, kind, tenant, webhookUrl } = request
  const headers = { authorization: `Bearer ${TENANTS[tenant]}`, 'idempotency-key': key }
  const response =
    kind === 'speech'
      ? await fetch(`${url}/v1/audio/speech`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({
            model: 'svc-tts-1.0-pro',
            input: `${key.replaceAll('-', ' ')}.`,
            voice_id: 'rms',
            response_format: 'wav',
            async: true,
            webhook_url: webhookUrl,
          }),
        })
      : await fetch(`${url}/v1/audio/transcriptions`, { method: 'POST', headers, body: form(webhookUrl) })
  const body = (await response.json()) as { task_id: string }
  if (response.status !== 200) throw new Error(`${kind} was answered ${response.status}: ${JSON.stringify(body)}`)
  return body.task_id
}

function form(webhookUrl: string): FormData {
  const data = new FormData()
  data.append('model', 'svc-transcribe-1.0')
  data.append('async', 'true')
  data.append('webhook_url', webhookUrl)
  const header = wavHeader({ sampleRate: 16_000, channels: 1, bitDepth: 16 }, SILENCE.byteLength)
  data.append('file', new Blob([new Uint8Array(header), SILENCE]), 'silence.wav')
  return data
}

/** Looks at a task. @throws when it is not there */
export async function look(url: string, { taskId, tenant }: Request): Promise<SeenTask> {
  const headers = { authorization: `Bearer ${TENANTS[tenant]}` }
  const response = await fetch(`${url}/v1/audio/tasks/${taskId}`, { headers })
  if (response.status !== 200) throw new Error(`${taskId} was acknowledged and is lost: HTTP ${response.status}`)
  return (await response.json()) as SeenTask
}

/** @throws when the result of a task is not the whole file */
export async function checkResult({ url }: SeenTask): Promise<void> {
  if (url === undefined) return
  const response = await fetch(url)
  const bytes = await response.bytes()
  if (response.status !== 200 || bytes.byteLength < 1000 || riffSize(bytes) !== bytes.byteLength) {
    throw new Error(`A result of ${bytes.byteLength} bytes is not whole: HTTP ${response.status}`)
  }
}

/**
 * Sends requests one after the other, looking at what has been acknowledged in between, until the service is gone.
 * @throws what is wrong with an answer; not that there is none
 */
export async function loadUntilGone(
  url: string,
  requests: readonly Request[],
  { gone, onAnswer }: { readonly gone: AbortSignal; readonly onAnswer: () => void },
): Promise<void> {
  const isGone = async (work: Promise<void>): Promise<boolean> => {
    try {
      await work
      return false
    } catch (error) {
      // A connection that broke is what is wanted; an answer that is wrong is not.
      if (error instanceof TypeError || gone.aborted) return true
      throw error
    }
  }
  for (const request of requests) {
    const sent = send(url, request).then((taskId) => {
      request.taskId = taskId
      onAnswer()
      return undefined
    })
    if (await isGone(sent)) return
    if (await isGone(look(url, request).then(checkResult))) return
  }
  for (let turn = 0; !gone.aborted; turn += 1) {
    const request = requests[turn % requests.length]
    if (request !== undefined && (await isGone(look(url, request).then(checkResult)))) return
    await sleep(5)
  }
}
