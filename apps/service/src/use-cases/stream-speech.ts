import type { PcmFormat } from '@svc-audio/core/streaming'
import { aigcValue } from '@svc-audio/core/streaming'
import { contentTypeOf } from '../domain/formats.ts'
import { newId } from '../domain/ids.ts'
import { ClientGoneError } from '../domain/client-gone-error.ts'
import type { Services } from '../services.ts'
import type { Lease } from '../ports/task-store.ts'
import { fairSpeech } from './fair-speech.ts'
import { holdLease, LEASE_MS } from './hold-lease.ts'
import { createRecorder, type Recorder } from './recorder.ts'
import type { StreamOrder } from './speech-rules.ts'
import type { KeyTerms } from './recall.ts'
import { bindStream, repeatedStream } from './stream-keys.ts'
import { taskError } from './task-error.ts'

/** Streaming speech that has begun. */
export interface StreamedSpeech {
  readonly taskId: string
  readonly format: PcmFormat
  /**
   * PCM as it is made. When the last chunk has been taken the final WAV is kept and the task has succeeded; a failure
   * or an early end fails the task.
   */
  readonly chunks: AsyncIterable<Uint8Array>
}

/**
 * Starts streaming speech. The engine has accepted the text and the task exists when it resolves, so whatever can be
 * refused is refused before an answer begins. A request that comes again after its end gets the same speech and the same
 * task; one whose task has failed is begun anew.
 * @throws ServiceError 409 `idempotency_in_progress`; 409 `idempotency_conflict`
 */
export async function streamSpeech(
  services: Services,
  order: StreamOrder,
  { signal, ...terms }: KeyTerms & { readonly signal: AbortSignal },
): Promise<StreamedSpeech> {
  const { tenant } = terms
  const { text, voiceId, pauses, speed, expectedDurationSeconds } = order
  const own = services.results.of(tenant)
  const repeated = await repeatedStream(services, terms)
  if (repeated === undefined) await own.requireRoom()
  const accepted = await services.speech.synthesize(
    {
      text,
      voiceId,
      pauses,
      ...(speed === undefined ? {} : { speed }),
      ...(expectedDurationSeconds === undefined ? {} : { expectedDurationSeconds }),
    },
    { signal },
  )
  const synthesis = fairSpeech(accepted, services.slots.speech, { tenant, signal })
  if (repeated !== undefined) return { taskId: repeated, ...synthesis }
  const taskId = newId('task')
  await bindStream(services, terms, taskId)
  const lease = await services.tasks.begin({ id: taskId, tenant, kind: 'audio.speech', model: order.model }, LEASE_MS)
  const aigc = aigcValue(order.aigc, taskId)
  const name = `${taskId}.wav`
  const recorder = createRecorder((source) => {
    const options = { format: 'wav', pcm: synthesis.format, signal, ...(aigc === undefined ? {} : { aigc }) } as const
    return own.put(name, services.codec.encode(source, options))
  })
  return { taskId, format: synthesis.format, chunks: record(services, lease, name, synthesis.chunks, recorder) }
}

async function* record(
  { tasks, clock }: Services,
  lease: Lease,
  name: string,
  chunks: AsyncIterable<Uint8Array>,
  recorder: Recorder,
): AsyncGenerator<Uint8Array, void, undefined> {
  // Leaving the loop early runs `finally` with nothing thrown: then the reader has gone.
  let failure: Error | undefined = new ClientGoneError()
  const held = holdLease(tasks, lease, clock)
  try {
    for await (const chunk of chunks) {
      held.lost.throwIfAborted()
      await recorder.write(chunk)
      yield chunk
    }
    await recorder.finish()
    await tasks.succeed(lease, { file: name, response_format: 'wav', content_type: contentTypeOf('wav') })
    failure = undefined
  } catch (error) {
    failure = error instanceof Error ? error : new Error('The stream failed', { cause: error })
    throw error
  } finally {
    held.stop()
    if (failure !== undefined) {
      await recorder.abort(failure)
      await tasks.fail(lease, taskError(failure))
    }
  }
}
