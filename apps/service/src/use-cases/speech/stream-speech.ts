import { aigcValue, type PcmFormat } from '@svc-audio/core/audio'
import { streamOver } from '@svc-audio/engine-ports/driver'
import { newId } from '../../domain/ids.ts'
import { ClientDisconnectedError } from '../../domain/errors.ts'
import type { Services } from '../../services.ts'
import { atMostSeconds, speechTurns } from './speech-output.ts'
import { WorkMeter } from '../../domain/usage.ts'
import type { TaskTrace } from '../../domain/task-trace.ts'
import type { StreamOrder } from './speech-rules.ts'
import type { IdempotencyContext } from '../../ports/idempotency.ts'
import { bindStream, replayStream } from '../idempotency/streams.ts'
import { StreamRecording } from './stream-recording.ts'

/** A started stream of speech. */
export interface StreamedSpeech {
  readonly taskId: string
  readonly format: PcmFormat
  /**
   * PCM during synthesis. After the last chunk is read, the final WAV is stored and the task has succeeded. An error
   * or an early end of the loop fails the task.
   */
  readonly chunks: AsyncIterable<Uint8Array>
}

/**
 * Starts streaming speech. Resolves when the engine has accepted the text and the task exists: every refusal comes
 * before the response begins. A request repeated after the end gets the same speech and the same task. If the task has
 * failed, the stream starts again.
 * @throws ServiceError 409 `idempotency_in_progress`; 409 `idempotency_conflict`
 */
export async function streamSpeech(
  services: Services,
  order: StreamOrder,
  { signal, trace, ...terms }: IdempotencyContext & { readonly signal: AbortSignal; readonly trace?: TaskTrace },
): Promise<StreamedSpeech> {
  const { tenant } = terms
  const { text, voiceId, pauses, language, speed, expectedDurationSeconds } = order
  const repeated = await replayStream(services, terms)
  if (repeated === undefined) await services.results.of(tenant).requireRoom()
  const taskId = repeated ?? newId('task')
  const accepted = await services.speech.synthesize(
    {
      text,
      voiceId,
      pauses,
      ...(language === undefined ? {} : { language }),
      ...(speed === undefined ? {} : { speed }),
      ...(expectedDurationSeconds === undefined ? {} : { expectedDurationSeconds }),
    },
    { signal, turns: speechTurns(services.semaphores, tenant), client: { tenant, id: taskId } },
  )
  // A repeated request counts no work.
  const meter = repeated === undefined ? new WorkMeter(services.totals) : undefined
  meter?.speak(text.length)
  const synthesis = atMostSeconds(accepted, services.maxOutputSeconds, { meter })
  if (repeated !== undefined) return { taskId, ...synthesis }
  const aigc = aigcValue(order.aigc, taskId)
  const options = { taskId, tenant, model: order.model, pcm: synthesis.format, aigc, signal, trace, meter }
  const { chunks, close } = begun(synthesis.chunks)
  try {
    await bindStream(services, terms, taskId)
    const recording = await StreamRecording.begin(services, options)
    return { taskId, format: synthesis.format, chunks: record(recording, chunks) }
  } catch (error) {
    await close()
    throw error
  }
}

/** Begins to make the first chunk, while the disk syncs the task. */
function begun(source: AsyncIterable<Uint8Array>): {
  readonly chunks: AsyncIterable<Uint8Array>
  /** Stops the making. */
  readonly close: () => Promise<unknown>
} {
  const reader: AsyncIterator<Uint8Array, undefined> = source[Symbol.asyncIterator]()
  let first: Promise<IteratorResult<Uint8Array, undefined>> | undefined = reader.next()
  // Its failure is the stream's, once the stream is read.
  first.catch(() => undefined)
  const chunks = streamOver(reader, () => {
    const next = first ?? reader.next()
    first = undefined
    return next
  })
  return { chunks, close: async () => reader.return?.() }
}

/** Records the chunks as they are read. */
function record(recording: StreamRecording, chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const recorded = recordAll(recording, chunks)
  // No effect after the recording has ended.
  const onClose = (): Promise<void> => recording.fail(new ClientDisconnectedError())
  return streamOver(recorded, () => recorded.next(), onClose)
}

async function* recordAll(
  recording: StreamRecording,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, undefined> {
  try {
    for await (const chunk of chunks) {
      await recording.write(chunk)
      yield chunk
    }
    await recording.succeed()
  } catch (error) {
    await recording.fail(error)
    throw error
  }
}
