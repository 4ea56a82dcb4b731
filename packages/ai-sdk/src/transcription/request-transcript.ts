import {
  type CallOptions,
  ProtocolError,
  type PureAudioClient,
  type ResponseInfo,
  type TranscriptionSource,
} from '@svc-audio/core'

import type { Json } from '../request.ts'

/** Body of a transcription. */
export type TranscriptBody = TranscriptionSource & {
  readonly model: string
  readonly diarize?: boolean
  readonly keyterms?: readonly string[]
}

/** Result of either way. */
export interface RequestedTranscript {
  readonly data: object & { readonly text: string }
  readonly response: ResponseInfo
  readonly metadata: Readonly<Record<string, Json>>
}

/** Longest wait for the cancellation of a task whose caller has aborted, in milliseconds. */
const CANCEL_TIMEOUT = 10_000

/**
 * Requests a transcription. With `async`, it is a task, and an abort cancels the task where the service can.
 * @throws the errors of the client
 */
export async function requestTranscript(
  client: PureAudioClient,
  body: TranscriptBody,
  { async, ...options }: CallOptions & { readonly async: boolean },
): Promise<RequestedTranscript> {
  if (!async) {
    const json = { ...body, response_format: 'json' } as const
    const { data, ...response } = await client.transcriptions.create(json, options).withResponse()
    return { data, response, metadata: {} }
  }
  const { data: task, ...response } = await client.transcriptions.createTask(body, options).withResponse()
  try {
    const done = await task.wait()
    if (typeof done.text !== 'string') throw new ProtocolError(`Task ${task.id} ended in SUCCESS without \`text\``)
    return { data: { ...done, text: done.text }, response, metadata: { taskId: task.id } }
  } catch (error) {
    // An addition of the self-hosted service. Elsewhere the task continues.
    if (options.signal?.aborted === true) task.cancel({ timeout: CANCEL_TIMEOUT }).catch(() => {})
    throw error
  }
}
