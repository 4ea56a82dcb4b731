import type { PcmFormat } from '@svc-audio/core/streaming'
import { aigcValue } from '../domain/aigc.ts'
import { contentTypeOf } from '../domain/formats.ts'
import { newId } from '../domain/ids.ts'
import { ClientGoneError } from '../domain/client-gone-error.ts'
import type { Services } from '../services.ts'
import { createRecorder, type Recorder } from './recorder.ts'
import type { StreamOrder } from './speech-rules.ts'
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
 * refused is refused before an answer begins.
 */
export async function streamSpeech(
  services: Services,
  tenant: string,
  order: StreamOrder,
  signal: AbortSignal,
): Promise<StreamedSpeech> {
  const { text, voiceId, pauses, speed, expectedDurationSeconds } = order
  const synthesis = await services.speech.synthesize(
    {
      text,
      voiceId,
      pauses,
      ...(speed === undefined ? {} : { speed }),
      ...(expectedDurationSeconds === undefined ? {} : { expectedDurationSeconds }),
    },
    { signal },
  )
  const taskId = newId('task')
  await services.tasks.create({ id: taskId, tenant, kind: 'audio.speech', status: 'PROCESSING', model: order.model })
  const aigc = aigcValue(order.aigc, taskId)
  const name = `${taskId}.wav`
  const recorder = createRecorder((source) => {
    const options = { format: 'wav', pcm: synthesis.format, signal, ...(aigc === undefined ? {} : { aigc }) } as const
    return services.results.put(name, services.codec.encode(source, options))
  })
  return { taskId, format: synthesis.format, chunks: record(services, taskId, name, synthesis.chunks, recorder) }
}

async function* record(
  { tasks }: Services,
  taskId: string,
  name: string,
  chunks: AsyncIterable<Uint8Array>,
  recorder: Recorder,
): AsyncGenerator<Uint8Array, void, undefined> {
  // Leaving the loop early runs `finally` with nothing thrown: then the reader has gone.
  let failure: Error | undefined = new ClientGoneError()
  try {
    for await (const chunk of chunks) {
      await recorder.write(chunk)
      yield chunk
    }
    await recorder.finish()
    await tasks.succeed(taskId, { file: name, response_format: 'wav', content_type: contentTypeOf('wav') })
    failure = undefined
  } catch (error) {
    failure = error instanceof Error ? error : new Error('The stream failed', { cause: error })
    throw error
  } finally {
    if (failure !== undefined) {
      await recorder.abort(failure)
      await tasks.fail(taskId, taskError(failure))
    }
  }
}
