import type { Recognition, RecognizeOptions } from '@svc-audio/engine-ports'
import type { BlockSource } from '../pcm/pcm-reader.ts'
import { RecordingJob } from '../threads/recording-job.ts'
import {
  type BusyThread,
  type Outcome,
  SupervisedThread,
  type SupervisedThreadOptions,
  type ThreadJob,
} from '../threads/supervised-thread.ts'
import type { Thread } from '../threads/thread.ts'
import type { WatchdogOptions } from '../threads/watchdog.ts'
import type { ThreadReply, ThreadRequest } from './protocol.ts'

/** A thread that recognizes one recording at a time. */
export type RecognitionThread = SupervisedThread<ThreadRequest, ThreadReply>

/** Options of {@link startRecognitionThread}. */
export interface RecognitionThreadOptions extends WatchdogOptions {
  /**
   * Time for the thread to notice an abort before it is ended, in milliseconds. It looks every tenth of a second, but
   * the end of a long utterance takes it up to two seconds.
   * @default 3000
   */
  readonly cancelTimeout?: number
}

/**
 * Starts a thread that speaks the protocol of `protocol.ts`. After an abort it stays usable.
 * @throws EngineFailedError when the thread cannot be started.
 */
export function startRecognitionThread(
  spawn: () => Thread<ThreadReply>,
  { cancelTimeout = 3000, ...watching }: RecognitionThreadOptions = {},
): RecognitionThread {
  const options: SupervisedThreadOptions<ThreadRequest, ThreadReply> = {
    ...watching,
    label: 'The speech recognizer',
    stop: { request: { type: 'cancel' }, confirms: ({ type }) => type === 'cancelled', timeout: cancelTimeout },
  }
  return new SupervisedThread(spawn, options)
}

/** The recognition of one recording. */
export class RecognitionJob implements ThreadJob<ThreadRequest, ThreadReply, Recognition> {
  readonly #recording: RecordingJob<Recognition>
  readonly #options: RecognizeOptions

  /** @param othersWait As for {@link RecordingJob}. */
  constructor(source: BlockSource, options: RecognizeOptions = {}, othersWait?: () => boolean) {
    this.#recording = new RecordingJob(source, undefined, othersWait)
    this.#options = options
  }

  start(thread: BusyThread<ThreadRequest>): Promise<void> {
    thread.post({ type: 'begin', keyterms: this.#options.keyterms ?? [] })
    return this.#recording.start(thread)
  }

  receive(reply: ThreadReply): Outcome<Recognition> | undefined {
    if (reply.type === 'consumed' || reply.type === 'result') return this.#recording.receive(reply)
    if (reply.type === 'heard') this.#options.onWords?.(reply.words)
    this.#recording.watch()
    return undefined
  }
}
