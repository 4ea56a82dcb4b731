import type { PcmFormat } from '@svc-audio/core/audio'
import type { TaskTrace } from '../../domain/task-trace.ts'
import type { WorkMeter } from '../../domain/usage.ts'
import { contentTypeOf } from '../../domain/formats.ts'
import type { Lease } from '../../ports/task-store.ts'
import type { Services } from '../../services.ts'
import { LeaseLostError } from '../../domain/errors.ts'
import { renewLease, LEASE_MS } from '../tasks/renew-lease.ts'
import { deleteUnused } from '../storage/delete-unused.ts'
import { succeedSurely } from '../tasks/until-answered.ts'
import { createRecorder, type Recorder } from './recorder.ts'
import { taskError } from '../to-service-error.ts'

/** Options of {@link StreamRecording.begin}. */
export interface StreamRecordingOptions {
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
    const { log } = this.#services
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
      return services.results.of(tenant).put(this.#name, services.codec.encode(source, options))
    })
    signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  /**
   * Creates the task, in state PROCESSING.
   * @throws The signal's reason if it has already aborted. The task has then failed
   */
  static begin(services: Services, options: StreamRecordingOptions): Promise<StreamRecording> {
    const begun = StreamRecording.#begin(services, options)
    services.running.holdEnd(begun)
    return begun
  }

  static async #begin(services: Services, options: StreamRecordingOptions): Promise<StreamRecording> {
    const { taskId: id, tenant, model, signal, trace } = options
    const task = { id, tenant, kind: 'audio.speech', model, ...(trace === undefined ? {} : { trace }) } as const
    const lease = await services.tasks.begin(task, LEASE_MS)
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
    this.#services.running.holdEnd(this.#ended)
    return this.#ended
  }

  async #fail(failure: unknown): Promise<void> {
    const { tasks, results } = this.#services
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
