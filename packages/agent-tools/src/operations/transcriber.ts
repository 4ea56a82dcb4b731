import { randomUUID } from 'node:crypto'
import { SpeechToolError } from '../errors/speech-tool-error.ts'
import { toSpeechToolError } from '../errors/to-speech-tool-error.ts'
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
      const id = audioTranscriptId(opened, scope)
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
      const seconds = await this.checkedLength({ body, source, ...opened }, scope)
      const onUploadProgress = reporter(progress)
      const { data, requestId } = await this.spend(seconds, scope, () =>
        client.transcriptions
          .create({ model: options.transcriptionModel, ...body }, { ...call, onUploadProgress })
          .withResponse(),
      ).catch((error: unknown) => {
        throw tooLong(error, scope)
      })
      const transcript = toTranscript(data, source)
      this.count(transcript, seconds, scope)
      await setTranscript(this.#transcripts, id, transcript, scope)
      return { id, transcript, ...(requestId === undefined ? {} : { requestId }) }
    } finally {
      await opened.close?.()
    }
  }

  /**
   * Seconds of the audio, if they are limited and known before sending; else 0.
   * @throws SpeechToolError `audio_too_long`
   */
  async checkedLength(source: AudioSource, scope: RunScope): Promise<number> {
    const { maxAudioSeconds, maxAudioSecondsPerRun } = scope.options
    if (maxAudioSeconds === undefined && maxAudioSecondsPerRun === undefined) return 0
    const seconds = await audioLength(source)
    checkLength(seconds, scope)
    return seconds ?? 0
  }

  /** Sends a request for the run's budget of seconds. */
  spend<Result>(seconds: number, { run }: RunScope, request: () => PromiseLike<Result>): Promise<Result> {
    return this.#seconds.spend(run, seconds, request)
  }

  /** Counts the length that the service reports. @param counted Seconds that the budget has already. */
  count({ durationSeconds }: StoredTranscript, counted: number, { run }: RunScope): void {
    if (durationSeconds !== undefined) this.#seconds.add(run, durationSeconds - counted)
  }
}

/** Id of the transcript of some audio by a model: another model gives another transcript. */
export function audioTranscriptId({ key }: Pick<AudioSource, 'key'>, { options }: Pick<RunScope, 'options'>): string {
  return transcriptId(JSON.stringify([key ?? randomUUID(), options.transcriptionModel]))
}

/** After a deadline, names the tool for long recordings to the model. */
function tooLong(error: unknown, { options: { tools, names } }: RunScope): unknown {
  if (!tools.includes('start_transcription') || !tools.includes('get_transcription')) return error
  const failure = toSpeechToolError(error)
  if (failure.code !== 'timeout') return error
  const message = `The audio service took too long. Call ${names.start_transcription} with this audio instead.`
  const { retryable, requestId } = failure
  return new SpeechToolError('timeout', message, { retryable, requestId, cause: error })
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
