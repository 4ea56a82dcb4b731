import type { PcmFormat } from '@svc-audio/core/audio'
import { aigcValue } from '@svc-audio/core/adapter'
import { streamOver } from '@svc-audio/engine-ports/driver'
import { ClientDisconnectedError, LeaseLostError } from '../../domain/errors.ts'
import { contentTypeOf } from '../../domain/formats.ts'
import { newId } from '../../domain/ids.ts'
import type { TaskTrace } from '../../domain/task-trace.ts'
import { WorkMeter } from '../../domain/usage.ts'
import type { IdempotencyContext } from '../../ports/response-store.ts'
import type { Lease } from '../../ports/task-store.ts'
import type { Services } from '../../services.ts'
import { succeedSurely } from '../store-outages.ts'
import { bindStream, replayStream } from '../idempotency.ts'
import { deleteUnused } from '../objects.ts'
import { LEASE_MS, renewLease } from '../tasks/lease.ts'
import { taskError } from '../to-service-error.ts'
import { createRecorder, type Recorder } from './recorder.ts'
import { atMostSeconds, speechTurns } from './speak.ts'
import type { StreamOrder } from './rules.ts'

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
  if (repeated === undefined) await services.objects.results.of(tenant).requireRoom()
  const taskId = repeated ?? newId('task')
  const accepted = await services.engines.speech.synthesize(
    {
      text,
      voiceId,
      pauses,
      ...(language === undefined ? {} : { language }),
      ...(speed === undefined ? {} : { speed }),
      ...(expectedDurationSeconds === undefined ? {} : { expectedDurationSeconds }),
    },
    { signal, turns: speechTurns(services.engines.semaphores, tenant), client: { tenant, id: taskId } },
  )
  // A repeated request counts no work.
  const meter = repeated === undefined ? new WorkMeter(services.runtime.totals) : undefined
  meter?.speak(text.length)
  const synthesis = atMostSeconds(accepted, services.settings.maxOutputSeconds, { meter })
  if (repeated !== undefined) return { taskId, ...synthesis }
  const aigc = aigcValue(order.aigc, taskId)
  const options = { taskId, tenant, model: order.model, pcm: synthesis.format, aigc, signal, trace, meter }
  const { chunks, close } = started(synthesis.chunks)
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
function started(source: AsyncIterable<Uint8Array>): {
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

/** Options of {@link StreamRecording.begin}. */
interface StreamRecordingOptions {
  readonly taskId: string
  readonly tenant: string
  readonly model: string
  readonly pcm: PcmFormat
  /** AIGC marking of the file. */
  readonly aigc: string | undefined
  /** The request of the stream. */
  readonly trace?: TaskTrace | undefined
  /** Measures the work of the stream. @default nothing is measured */
  readonly meter?: WorkMeter | undefined
  /** Aborts when the client disconnects or the service stops. */
  readonly signal: AbortSignal
}

/**
 * The task of a speech stream and its final WAV. It ends once: it succeeds, the maker of the stream fails it, or the
 * signal fails it. The signal does not wait for the stream: nobody may ever read it.
 */
export class StreamRecording {
  readonly #services: Services
  readonly #signal: AbortSignal
  readonly #lease: Lease
  readonly #meter: WorkMeter | undefined
  readonly #tenant: string
  readonly #name: string
  readonly #recorder: Recorder
  readonly #held: ReturnType<typeof renewLease>
  #ended: Promise<void> | undefined
  /** Whether the task may name the file without this process knowing it. */
  #mayHaveSucceeded = false
  readonly #onAbort = (): void => {
    const { log } = this.#services.runtime
    this.fail(this.#signal.reason).catch((error: unknown) => log.error({ err: error }, 'a stream could not be ended'))
  }

  private constructor(services: Services, lease: Lease, { pcm, aigc, signal, tenant, meter }: StreamRecordingOptions) {
    this.#services = services
    this.#signal = signal
    this.#lease = lease
    this.#meter = meter
    this.#tenant = tenant
    this.#name = `${lease.taskId}.wav`
    this.#held = renewLease(services, lease)
    this.#recorder = createRecorder((source) => {
      const options = { format: 'wav', pcm, signal, ...(aigc === undefined ? {} : { aigc }) } as const
      return services.objects.results.of(tenant).put(this.#name, services.engines.codec.encode(source, options))
    })
    signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  /**
   * Creates the task, in state PROCESSING.
   * @throws The signal's reason if it has already aborted. The task has then failed
   */
  static begin(services: Services, options: StreamRecordingOptions): Promise<StreamRecording> {
    const begun = StreamRecording.#begin(services, options)
    services.runtime.running.holdEnd(begun)
    return begun
  }

  static async #begin(services: Services, options: StreamRecordingOptions): Promise<StreamRecording> {
    const { taskId: id, tenant, model, signal, trace } = options
    const task = { id, tenant, kind: 'audio.speech', model, ...(trace === undefined ? {} : { trace }) } as const
    const lease = await services.stores.tasks.begin(task, LEASE_MS)
    const recording = new StreamRecording(services, lease, options)
    if (signal.aborted) await recording.fail(signal.reason)
    signal.throwIfAborted()
    return recording
  }

  /** Records a chunk. @throws when the recording has ended, the lease was lost or the store fails */
  async write(chunk: Uint8Array): Promise<void> {
    this.#signal.throwIfAborted()
    this.#held.lost.throwIfAborted()
    await this.#recorder.write(chunk)
  }

  /** Stores the WAV and ends the task. @throws as {@link StreamRecording.write} */
  async succeed(): Promise<void> {
    await this.#recorder.finish()
    this.#signal.throwIfAborted()
    const result = { file: this.#name, response_format: 'wav', content_type: contentTypeOf('wav') }
    const signal = AbortSignal.any([this.#signal, this.#held.lost])
    const end = { lease: this.#lease, tenant: this.#tenant, signal, work: this.#meter?.work }
    this.#mayHaveSucceeded = true
    if (!(await succeedSurely(this.#services, end, result))) {
      this.#mayHaveSucceeded = false
      throw new LeaseLostError()
    }
    this.#release()
    this.#ended = Promise.resolve()
  }

  /** Fails the task, unless it has ended, and stores nothing. */
  fail(failure: unknown): Promise<void> {
    this.#ended ??= this.#fail(failure)
    this.#services.runtime.running.holdEnd(this.#ended)
    return this.#ended
  }

  async #fail(failure: unknown): Promise<void> {
    const { tasks } = this.#services.stores
    const { results } = this.#services.objects
    this.#release()
    await this.#recorder.abort(failure instanceof Error ? failure : new Error('The stream failed', { cause: failure }))
    const failed = await tasks.fail(this.#lease, taskError(failure), this.#meter?.work)
    if (failed || !this.#mayHaveSucceeded) await deleteUnused(this.#services, results, this.#name)
  }

  #release(): void {
    this.#signal.removeEventListener('abort', this.#onAbort)
    this.#held.stop()
  }
}
