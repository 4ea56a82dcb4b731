import { BenchProcess } from '../harness/processes.ts'

/**
 * Responses to speech: a link at once; the begin of a stream that then stays open; or PCM as a server on a GPU streams it,
 * which thinks for a moment and then sends a tone as fast as it is heard.
 */
export type SpeechForm = 'url' | 'held' | 'tone'

/** Sample rate of the tone: PCM of 16 bit, one channel. */
export const TONE_RATE = 24_000
/** Length of the tone for each character of an input, in seconds. */
export const SECONDS_PER_CHARACTER = 0.05

/** Received requests. */
export interface ServiceReport {
  readonly requests: number
  /** Opened connections. */
  readonly sockets: number
  /** Polls of a task before the `retry_after` of its previous response had passed. */
  readonly earlyReads: number
  /** Tasks that were polled to their end. */
  readonly finishedTasks: number
}

/** A received upload. */
export interface UploadReport {
  /** The `Content-Length` header; `null` for a chunked body. */
  readonly contentLength: number | null
  /** Arrival of its first byte, in milliseconds since the epoch. */
  readonly firstByteAt: number
  /** Bytes of the whole body. */
  readonly bodyBytes: number
  /** Bytes of the file, without the multipart around it. */
  readonly fileBytes: number
}

/** A service with prepared responses, in a separate process. */
export class ScriptedService {
  /** Address without `/v1`. */
  readonly origin: string
  readonly #process: BenchProcess

  private constructor(process: BenchProcess, origin: string) {
    this.#process = process
    this.origin = origin
  }

  /** @param speech Its responses to requests for speech. */
  static async start(speech: SpeechForm = 'url'): Promise<ScriptedService> {
    const process = BenchProcess.start(new URL('./service-process.ts', import.meta.url), [speech])
    return new ScriptedService(process, await process.next<string>())
  }

  /** Requests since the last report. */
  report(): Promise<ServiceReport> {
    return this.#process.ask('report')
  }

  /** The last upload. */
  lastUpload(): Promise<UploadReport> {
    return this.#process.ask('upload')
  }

  stop(): void {
    this.#process.stop()
  }
}
