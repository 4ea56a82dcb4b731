import { randomUUID } from 'node:crypto'
import { ApiError, type Task, TaskFailedError, TaskTimeoutError } from '@svc-audio/core'
import { SpeechToolError } from '../errors/speech-tool-error.ts'
import { toSpeechToolError } from '../errors/to-speech-tool-error.ts'
import type { Budget } from '../run/budget.ts'
import type { RunScope } from '../run/run-context.ts'
import { SharedWork } from '../run/shared-work.ts'
import type { Spent } from '../run/spent.ts'
import type { AudioSource } from '../sources/audio-source.ts'
import { openSource } from '../sources/open-source.ts'
import { toTranscript } from '../transcripts/transcript.ts'
import type { PendingTranscript, StoredTranscript, TranscriptStore } from '../transcripts/transcript-store.ts'
import { audioLength, checkLength } from './audio-length.ts'
import { getTranscript, setTranscript, taskTranscriptId, transcriptId } from './transcripts.ts'

/** A transcript and where it is stored. */
export interface Transcribed {
  readonly id: string
  readonly transcript: StoredTranscript
  /** Of the answer; absent when the transcript was stored before. */
  readonly requestId?: string
}

/** Longest wait for a task that another call started, in milliseconds: as long as a client waits for an answer. */
const TASK_WAIT_MS = 600_000

/**
 * Transcribes audio once: later calls for the same audio, and calls at the same time, get the stored transcript. While
 * a task transcribes the audio, they wait for the task.
 */
export class Transcriber {
  readonly #transcripts: TranscriptStore
  readonly #seconds: Budget
  readonly #running = new SharedWork<Transcribed>()

  constructor(transcripts: TranscriptStore, seconds: Budget) {
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
      return await this.#running.run(sharedKey(id, scope), scope.signal, async (signal) => {
        handedOver = true
        try {
          const own = withSignal(scope, signal)
          const ended = stored?.taskId === undefined ? undefined : await this.#ended(stored.taskId, stored, own)
          return ended === undefined ? await this.#send(id, opened, own) : { id, transcript: ended }
        } finally {
          await opened.close?.()
        }
      })
    } finally {
      if (!handedOver) await opened.close?.()
    }
  }

  async #send(id: string, opened: AudioSource, scope: RunScope): Promise<Transcribed> {
    const { client, options, call, progress } = scope
    const seconds = await this.checkedLength(opened, scope)
    const onUploadProgress = reporter(progress)
    const { data, requestId } = await this.spend(seconds, scope, () =>
      client.transcriptions
        .create({ model: options.transcriptionModel, ...opened.body }, { ...call, onUploadProgress })
        .withResponse(),
    ).catch((error: unknown) => {
      throw tooLong(error, scope)
    })
    const transcript = toTranscript(data, opened.source)
    await this.count(transcript, seconds, scope)
    await setTranscript(this.#transcripts, id, transcript, scope)
    return { id, transcript, ...(requestId === undefined ? {} : { requestId }) }
  }

  /** Waits for a task that another call started. @returns `undefined` if the service no longer knows the task */
  async #ended(taskId: string, pending: PendingTranscript, scope: RunScope): Promise<StoredTranscript | undefined> {
    try {
      const task = await scope.client.tasks.wait(taskId, { signal: scope.signal, timeout: TASK_WAIT_MS })
      return await this.end(task, pending, scope)
    } catch (error) {
      if (TaskFailedError.isInstance(error)) return this.end(error.task, pending, scope)
      if (ApiError.isInstance(error) && error.status === 404) return undefined
      throw TaskTimeoutError.isInstance(error) ? stillRunning(error, scope) : error
    }
  }

  /**
   * Stores the transcript of an ended task, under the task's id and under the audio's. Counts its length once.
   * @throws TaskFailedError for a failed task. The next call for its audio transcribes it again.
   */
  async end(task: Task, pending: PendingTranscript, scope: RunScope): Promise<StoredTranscript> {
    const { source, transcriptId: ofAudio, countedSeconds = 0 } = pending
    if (task.status === 'FAILED') {
      if (ofAudio !== undefined) await this.#replacePending(ofAudio, { status: 'pending', source }, scope)
      throw new TaskFailedError(task)
    }
    const ofTask = taskTranscriptId(task.id)
    // Another call may have stored it in the meantime.
    const stored = await getTranscript(this.#transcripts, ofTask, scope)
    if (stored?.status === 'ready') return stored
    const transcript = toTranscript(task, source)
    await this.count(transcript, countedSeconds, scope)
    await setTranscript(this.#transcripts, ofTask, transcript, scope)
    if (ofAudio !== undefined) await this.#replacePending(ofAudio, transcript, scope)
    return transcript
  }

  async #replacePending(id: string, next: StoredTranscript | PendingTranscript, scope: RunScope): Promise<void> {
    const stored = await getTranscript(this.#transcripts, id, scope)
    if (stored?.status !== 'ready') await setTranscript(this.#transcripts, id, next, scope)
  }

  /**
   * Seconds of the audio, if they are known before sending; else 0.
   * @throws SpeechToolError `audio_too_long`
   */
  async checkedLength(source: AudioSource, scope: RunScope): Promise<number> {
    const seconds = await audioLength(source)
    checkLength(seconds, scope)
    return seconds ?? 0
  }

  /** Sends a request for the run's budget of seconds. */
  spend<Result>(seconds: number, scope: RunScope, request: () => PromiseLike<Result>): Promise<Result> {
    return this.#seconds.spend(scope, seconds, request)
  }

  /** Seconds that a call has spent. */
  spentBy(scope: RunScope): Spent {
    return this.#seconds.spentBy(scope)
  }

  /** Counts the length that the service reports. @param counted Seconds that the budget has already. */
  async count({ durationSeconds }: StoredTranscript, counted: number, scope: RunScope): Promise<void> {
    if (durationSeconds !== undefined) await this.#seconds.count(scope, durationSeconds - counted)
  }
}

/** Id of the transcript of some audio by a model: another model gives another transcript. */
export function audioTranscriptId({ key }: Pick<AudioSource, 'key'>, { options }: Pick<RunScope, 'options'>): string {
  return transcriptId(JSON.stringify([key ?? randomUUID(), options.transcriptionModel]))
}

/** Key of work that a user's simultaneous calls share. */
export function sharedKey(id: string, { access }: Pick<RunScope, 'access'>): string {
  return JSON.stringify([access.user ?? null, id])
}

/** The scope of shared work: its signal aborts when no caller waits. */
export function withSignal(scope: RunScope, signal: AbortSignal): RunScope {
  return { ...scope, signal, call: { signal }, access: { ...scope.access, signal } }
}

/** Names the tool that reads a running task to the model. */
function stillRunning(error: TaskTimeoutError, { options: { tools, names } }: RunScope): unknown {
  if (!tools.includes('get_transcription')) return error
  const message = `The transcription is still running. Call ${names.get_transcription} with the task id ${error.taskId} in a while.`
  return new SpeechToolError('timeout', message, { retryable: true, cause: error })
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
