import { ApiError, type Task, TaskFailedError, TaskTimeoutError } from '@svc-audio/core'
import { wavChunks } from '@svc-audio/core/adapter'
import { SpeechToolError, type Spent } from '../errors/speech-tool-error.ts'
import { toSpeechToolError } from '../errors/to-speech-tool-error.ts'
import type { Budget } from '../run/budget.ts'
import type { RunScope } from '../run/run-context.ts'
import { SharedWork } from '../run/shared-work.ts'
import type { AudioSource } from '../sources/allowed-file.ts'
import { openSource } from '../sources/open-source.ts'
import type { PendingTranscript, StoredTranscript } from '../store/audio-store.ts'
import { toTranscript } from '../transcripts/transcript.ts'
import type { TranscribeArtifact } from './artifacts.ts'
import type { OperationResult } from './operation.ts'
import { audioTranscriptId, showTranscript, taskTranscriptId, type Transcripts } from './transcripts.ts'

/** A transcript and where it is stored. */
interface Transcribed {
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
  readonly transcripts: Transcripts
  readonly #seconds: Budget
  readonly #running = new SharedWork<Transcribed>()

  constructor(transcripts: Transcripts, seconds: Budget) {
    this.transcripts = transcripts
    this.#seconds = seconds
  }

  /** @param audio As the model named it. */
  transcribe(audio: string, scope: RunScope): Promise<Transcribed> {
    return withAudio<Transcribed>(audio, scope, async (opened, share) => {
      const id = audioTranscriptId(opened, scope)
      const stored = await this.transcripts.get(id, scope)
      if (stored?.status === 'ready') return { id, transcript: stored }
      return share(this.#running, id, async (own) => {
        const ended = stored?.taskId === undefined ? undefined : await this.#ended(stored.taskId, stored, own)
        return ended === undefined ? this.#send(id, opened, own) : { id, transcript: ended }
      })
    })
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
    await this.#count(transcript, seconds, scope)
    await this.transcripts.set(id, transcript, scope)
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
    const stored = await this.transcripts.get(ofTask, scope)
    if (stored?.status === 'ready') return stored
    const transcript = toTranscript(task, source)
    await this.#count(transcript, countedSeconds, scope)
    await this.transcripts.set(ofTask, transcript, scope)
    if (ofAudio !== undefined) await this.#replacePending(ofAudio, transcript, scope)
    return transcript
  }

  async #replacePending(id: string, next: StoredTranscript | PendingTranscript, scope: RunScope): Promise<void> {
    const stored = await this.transcripts.get(id, scope)
    if (stored?.status !== 'ready') await this.transcripts.set(id, next, scope)
  }

  /**
   * Seconds of the audio, if they are known before sending; else 0.
   * @throws SpeechToolError `audio_too_long`
   */
  async checkedLength(source: AudioSource, { options: { maxAudioSeconds: max } }: RunScope): Promise<number> {
    const seconds = (await audioLength(source)) ?? 0
    if (max === undefined || seconds <= max) return seconds
    const message = `The audio has ${Math.ceil(seconds)} seconds; at most ${max} are transcribed. Use a shorter one.`
    throw new SpeechToolError('audio_too_long', message)
  }

  /** Sends a request for the run's budget of seconds. */
  spend<Result>(seconds: number, scope: RunScope, request: () => PromiseLike<Result>): Promise<Result> {
    return this.#seconds.spend(scope, seconds, request)
  }

  /** Seconds that a call has spent. */
  spentBy(scope: RunScope): Spent {
    return this.#seconds.spentBy(scope)
  }

  /** The beginning of a transcript for the model, and the artifact. */
  show(
    id: string,
    transcript: StoredTranscript,
    scope: RunScope,
    requestId?: string,
  ): OperationResult<TranscribeArtifact> {
    return showTranscript(id, transcript, scope, this.spentBy(scope), requestId)
  }

  /** Counts the length that the service reports. @param counted Seconds that the budget has already. */
  async #count({ durationSeconds }: StoredTranscript, counted: number, scope: RunScope): Promise<void> {
    if (durationSeconds !== undefined) await this.#seconds.count(scope, durationSeconds - counted)
  }
}

/** Runs work once for a user's simultaneous calls. The signal of its scope aborts when no caller waits. */
type Share = <Result>(
  running: SharedWork<Result>,
  id: string,
  work: (own: RunScope) => Promise<Result>,
) => Promise<Result>

/** Opens audio that a model named, and closes it after its use, or after the shared work that got it. */
export async function withAudio<Result>(
  audio: string,
  scope: RunScope,
  use: (opened: AudioSource, share: Share) => Promise<Result>,
): Promise<Result> {
  const opened = await openSource(audio, scope)
  let handedOver = false
  const share: Share = (running, id, work) =>
    running.run(JSON.stringify([scope.access.user ?? null, id]), scope.signal, async (signal) => {
      handedOver = true
      try {
        return await work({ ...scope, signal, call: { signal }, access: { ...scope.access, signal } })
      } finally {
        await opened.close?.()
      }
    })
  try {
    return await use(opened, share)
  } finally {
    if (!handedOver) await opened.close?.()
  }
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

/** The usual bytes before the samples. */
const HEADER_BYTES = 44

/**
 * Seconds of a WAV file, from its head and its size; `undefined` for anything else. It is for budgets: other chunks of
 * the file count as audio.
 */
export async function audioLength({ body, head }: AudioSource): Promise<number | undefined> {
  if (!('file' in body) || body.file.size === undefined) return undefined
  const start = head ?? (await firstBytes(body.file.data))
  if (start === undefined) return undefined
  for (const { id, start: at, size } of wavChunks(start)) {
    if (id !== 'fmt ' || size < 16 || at + 16 > start.byteLength) continue
    // The file says it for every encoding. Samples and their size may lie behind these bytes.
    const bytesPerSecond = new DataView(start.buffer, start.byteOffset).getUint32(at + 8, true)
    return bytesPerSecond === 0 ? undefined : (body.file.size - HEADER_BYTES) / bytesPerSecond
  }
  return undefined
}

async function firstBytes(data: unknown): Promise<Uint8Array | undefined> {
  if (typeof data !== 'function') return undefined
  const stream: unknown = data()
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sources open streams of bytes
  for await (const chunk of stream as AsyncIterable<Uint8Array>) return chunk
  return undefined
}
