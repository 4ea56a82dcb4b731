import { randomUUID } from 'node:crypto'
import type { RunBudget } from '../run/run-budget.ts'
import type { RunScope } from '../run/run-context.ts'
import { SharedWork } from '../run/shared-work.ts'
import type { AudioSource } from '../sources/audio-source.ts'
import { openSource } from '../sources/open-source.ts'
import { toTranscript } from '../transcripts/transcript.ts'
import type { StoredTranscript, TranscriptStore } from '../transcripts/transcript-store.ts'
import { audioLength, checkLength } from './audio-length.ts'
import { getTranscript, setTranscript, transcriptId } from './transcripts.ts'

/** A transcript and where it is stored. */
export interface Transcribed {
  readonly id: string
  readonly transcript: StoredTranscript
  /** Of the answer; absent when the transcript was stored before. */
  readonly requestId?: string
}

/** Transcribes audio once: later calls for the same audio, and calls at the same time, get the stored transcript. */
export class Transcriber {
  readonly #transcripts: TranscriptStore
  readonly #seconds: RunBudget
  readonly #running = new SharedWork<Transcribed>()

  constructor(transcripts: TranscriptStore, seconds: RunBudget) {
    this.#transcripts = transcripts
    this.#seconds = seconds
  }

  /** @param audio As the model named it. */
  async transcribe(audio: string, scope: RunScope): Promise<Transcribed> {
    const opened = await openSource(audio, scope)
    let handedOver = false
    try {
      // Another model gives another transcript.
      const key = JSON.stringify([opened.key ?? randomUUID(), scope.options.transcriptionModel])
      const id = transcriptId(key)
      const stored = await getTranscript(this.#transcripts, id, scope)
      if (stored?.status === 'ready') return { id, transcript: stored }
      const shared = JSON.stringify([scope.access.user ?? null, id])
      return await this.#running.run(shared, scope.signal, async (signal) => {
        handedOver = true
        return this.#send(id, opened, { ...scope, signal, call: { signal }, access: { ...scope.access, signal } })
      })
    } finally {
      if (!handedOver) await opened.close?.()
    }
  }

  async #send(id: string, { body, source, ...opened }: AudioSource, scope: RunScope): Promise<Transcribed> {
    const { client, options, call, progress } = scope
    try {
      const taken = await this.take({ body, source, ...opened }, scope)
      const onUploadProgress = reporter(progress)
      const request = client.transcriptions.create(
        { model: options.transcriptionModel, ...body },
        { ...call, onUploadProgress },
      )
      const { data, requestId } = await request.withResponse().catch((error: unknown) => {
        this.refund(taken, scope)
        throw error
      })
      const transcript = toTranscript(data, source)
      this.#seconds.add(scope.run, (transcript.durationSeconds ?? taken) - taken)
      await setTranscript(this.#transcripts, id, transcript, scope)
      return { id, transcript, ...(requestId === undefined ? {} : { requestId }) }
    } finally {
      await opened.close?.()
    }
  }

  /** Gives seconds back that a failed request did not use. */
  refund(seconds: number, { run }: Pick<RunScope, 'run'>): void {
    this.#seconds.add(run, -seconds)
  }

  /**
   * Takes the audio's seconds from the run's budget.
   * @returns What was taken: 0 where the length is not known before sending.
   */
  async take(source: AudioSource, scope: RunScope): Promise<number> {
    const { maxAudioSeconds, maxAudioSecondsPerRun } = scope.options
    if (maxAudioSeconds === undefined && maxAudioSecondsPerRun === undefined) return 0
    const seconds = await audioLength(source)
    checkLength(seconds, scope)
    this.#seconds.take(scope.run, seconds ?? 0)
    return seconds ?? 0
  }
}

/** Bytes between two reports of progress. */
const PROGRESS_BYTES = 256 * 1024

function reporter(
  progress: RunScope['progress'],
): (sent: { sentBytes: number; totalBytes: number | undefined }) => void {
  let reported = 0
  return ({ sentBytes, totalBytes }) => {
    if (sentBytes - reported < PROGRESS_BYTES && sentBytes !== totalBytes) return
    reported = sentBytes
    progress('sending', sentBytes, totalBytes)
  }
}
