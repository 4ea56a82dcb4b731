import { availableParallelism } from 'node:os'
import { type Diarization, DIARIZATION_SAMPLE_RATE, type DiarizationEngine } from '@svc-audio/engine-ports'
import { checkWorkers } from '@svc-audio/engine-ports/driver'
import type { RuntimeChoice } from '../onnx/runtime.ts'
import { RecordingPool } from '../threads/recordings.ts'
import { type StartThread, threadHere, type WatchdogOptions } from '../threads/thread.ts'

const WORKER = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url)

/**
 * The last step takes a few seconds for an hour of speech, and at most four times that for two hours. Its deadline is far
 * behind that.
 */
const END_MS_PER_SQUARE_HOUR = 60_000

/** What a thread needs to start. */
export interface DiarizerData {
  /** See {@link DiarizerOptions.graph}. */
  readonly graph: string | false | undefined
  /** See {@link DiarizerOptions.runtime}. */
  readonly runtime: RuntimeChoice | undefined
}

/** Options of {@link createDiarizer}. */
export interface DiarizerOptions extends WatchdogOptions {
  /**
   * Maximum recordings at a time; further ones queue. Each takes a core for a twentieth of its length, and a thread
   * that adds 160 MB beside a recognizer, and about 400 MB alone.
   * @default 2 with four cores or more, else 1
   */
  readonly workers?: number
  /**
   * Path of the graph that encodes voices: `campplusFile` of `@svc-audio/campplus`. With `false`, pitch and timbre are compared
   * instead: a seventh of the work, and a tenth of the memory, but people on the telephone are confused.
   * @default that of `@svc-audio/campplus`, and `false` when it is not installed
   */
  readonly graph?: string | false
  /** What runs the graph. @default `onnxruntime-node` where it is installed, else WebAssembly */
  readonly runtime?: RuntimeChoice | undefined
  /** Starts the threads. @default in this process */
  readonly startThread?: StartThread | undefined
  /** Returns whether the rest of a long recording must step back. @default it must */
  readonly othersWait?: (() => boolean) | undefined
  /** File of the worker threads. @default this driver's file */
  readonly worker?: URL
}

/**
 * Distinguishes speakers in any language by what their voices have in common with themselves: by an encoder of voices
 * where it is installed, else by timbre and pitch. It is made for people who speak in turns. Speech is cut at pauses of
 * 0.15 s or more, and where the encoder hears another voice. Of several simultaneous speakers it hears one. Silence,
 * noise and steady tones give no segments.
 *
 * Memory grows by about 5 MB per hour of speech, without another limit, and by 1 MB without the encoder. The last step,
 * after all audio, takes some seconds for an hour.
 *
 * `diarize` rejects with an EngineFailedError when its thread fails, which does not affect other
 * recordings, and with an EngineClosedError after `close`. An idle engine has no thread.
 * @throws RangeError when `workers` is not a positive integer.
 */
export function createDiarizer(options: DiarizerOptions = {}): DiarizationEngine {
  const {
    workers = availableParallelism() >= 4 ? 2 : 1,
    worker = WORKER,
    startThread = threadHere,
    graph,
    runtime,
    ...job
  } = options
  checkWorkers(workers)
  const data: DiarizerData = { graph, runtime }
  const pool = new RecordingPool<Diarization>({
    ...job,
    size: workers,
    spawn: () => startThread(worker, { name: 'diarizer', data }),
    label: 'The diarizer',
    endExtra: (samples) => END_MS_PER_SQUARE_HOUR * (samples / DIARIZATION_SAMPLE_RATE / 3600) ** 2,
  })
  return { name: 'voice-prints', diarize: (pcm, given) => pool.listen(pcm, given), close: () => pool.close() }
}
