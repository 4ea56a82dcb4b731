import { randomUUID } from 'node:crypto'
import { ApiError, type Task, TaskFailedError, type TaskHandle, TaskTimeoutError } from '@svc-audio/core'
import type { TaskCreation, TranscriptionTask } from '@svc-audio/core/interface'
import { countOf, SpeechToolError, type Spent } from '../errors/speech-tool-error.ts'
import type { Budget } from '../run/budget.ts'
import type { RunScope } from '../run/run-context.ts'
import { SharedWork } from '../run/shared-work.ts'
import type { AudioSource } from '../sources/allowed-file.ts'
import { audioLength } from '../sources/audio-length.ts'
import { openSource } from '../sources/open-source.ts'
import type { PendingTranscript, StoredTranscript, TranscriptSource } from '../store/audio-store.ts'
import { toTranscript } from '../transcripts/transcript.ts'
import type { TranscribeArtifact } from './artifacts.ts'
import type { OperationResult } from './operation.ts'
import { noTask, stillRunning, tooLong } from './task-errors.ts'
import { audioTranscriptId, showTranscript, taskTranscriptId, type Transcripts } from './transcripts.ts'

/** A transcript and where it is stored. */
export interface Transcribed {
  readonly id: string
  readonly transcript: StoredTranscript
  /** Of the answer; absent when the transcript was stored before. */
  readonly requestId?: string | undefined
}

/** A transcription that is not ready after `taskAfter`. The service works on. */
export interface Unfinished {
  /** Where its transcript will be stored. */
  readonly id: string
  readonly source: TranscriptSource
  /** The task's status at the last look; `SENDING` before there is a task. */
  readonly status: string
}

/** A task that has begun. */
interface BegunTask {
  readonly task: TaskHandle<TranscriptionTask>
  readonly pending: PendingTranscript
  readonly requestId: string | undefined
}

/** Longest wait for a task that another call started, in milliseconds: as long as a client waits for an answer. */
const TASK_WAIT_MS = 600_000

/** Failures, and addresses, that wait for a call. Beyond it, the oldest is forgotten. */
const MOST_REMEMBERED = 1000

/**
 * Transcribes audio once: later calls for the same audio, and calls at the same time, get the stored transcript. While
 * a task transcribes the audio, they wait for the task.
 */
export class Transcriber {
  readonly transcripts: Transcripts
  readonly #seconds: Budget
  readonly #running = new SharedWork<Transcribed>()
  readonly #beginning = new SharedWork<BegunTask>()
  /** Of the tasks in `#running`, by its keys. */
  readonly #statuses = new Map<string, string>()
  /** Why work failed after its call had returned, by the keys of `#running`. */
  readonly #failures = new Map<string, unknown>()
  /** Keys of the audio behind addresses, while nobody has its transcript yet. Later, another audio may be there. */
  readonly #addresses = new Map<string, string>()

  constructor(transcripts: Transcripts, seconds: Budget) {
    this.transcripts = transcripts
    this.#seconds = seconds
  }

  /**
   * With `taskAfter`, the service transcribes in a task from the beginning, and a call that is cut off loses nothing.
   * @param audio As the model named it.
   */
  transcribe(audio: string, scope: RunScope): Promise<Transcribed | Unfinished> {
    return this.withAudio<Transcribed | Unfinished>(audio, scope, async (opened, share) => {
      const id = audioTranscriptId(opened, scope)
      const stored = await this.transcripts.get(id, scope)
      if (stored?.status === 'ready') return { id, transcript: stored }
      const work = share(this.#running, id, async (own) => {
        this.#failures.delete(workKey(id, own))
        const ended = stored?.taskId === undefined ? undefined : await this.#ended(id, stored, own)
        if (ended !== undefined) return { id, transcript: ended }
        return own.options.taskAfter === undefined ? this.#send(id, opened, own) : this.#sendTask(id, opened, own)
      })
      return this.#within(work, { id, source: opened.source }, scope)
    })
  }

  /**
   * Waits again for a transcription that an earlier call has begun, at most `taskAfter`.
   * @param id Where its transcript will be stored, or where its task is.
   * @returns `undefined` if there is none
   * @throws the error of work that failed after its call had returned
   */
  async resume(id: string, scope: RunScope): Promise<Transcribed | Unfinished | undefined> {
    const stored = await this.transcripts.get(id, scope)
    if (stored?.status === 'ready') return { id, transcript: stored }
    const key = workKey(id, scope)
    if (stored === undefined) return undefined
    if (stored.taskId === undefined && !this.#running.has(key)) {
      if (this.#failures.has(key)) throw this.#failures.get(key)
      return undefined
    }
    const work = this.#running.run(key, scope.signal, async (signal) => {
      const transcript = await this.#ended(id, stored, withSignal(scope, signal))
      if (transcript === undefined) throw noTask(scope)
      return { id, transcript }
    })
    return this.#within(work, { id, source: stored.source }, scope)
  }

  /** Waits for work, at most `taskAfter`. If it fails later, the next call for its transcript is told. */
  async #within(
    work: Promise<Transcribed>,
    about: Omit<Unfinished, 'status'>,
    scope: RunScope,
  ): Promise<Transcribed | Unfinished> {
    const made = await withinLimit(work, scope)
    if (made !== undefined) return made
    const key = workKey(about.id, scope)
    work.catch((error: unknown) => {
      if (scope.signal?.aborted !== true) remember(this.#failures, key, error)
    })
    return { ...about, status: this.#statuses.get(key) ?? 'SENDING' }
  }

  /**
   * Opens audio that a model named, and closes it after its use, or after the shared work that got it. Until somebody has
   * the transcript of an address, further calls for the address are for the same audio: they send it once.
   */
  async withAudio<Result>(
    audio: string,
    scope: RunScope,
    use: (opened: AudioSource, share: Share) => Promise<Result>,
  ): Promise<Result> {
    const opened = await openSource(audio, scope)
    const key = opened.key ?? this.#keyOfAddress(opened.source, scope)
    return useOnce({ ...opened, key }, scope, use)
  }

  #keyOfAddress(source: TranscriptSource, scope: RunScope): string {
    const address = addressKey(source, scope)
    const key = this.#addresses.get(address) ?? randomUUID()
    remember(this.#addresses, address, key)
    return key
  }

  /**
   * Sends audio as a task and notes it, also under the id of the audio's transcript. Simultaneous calls begin one task.
   * @param ofAudio Id of the audio's transcript.
   */
  begin(ofAudio: string, opened: AudioSource, scope: RunScope): Promise<BegunTask> {
    return this.#beginning.run(workKey(ofAudio, scope), scope.signal, (signal) =>
      this.#begin(ofAudio, opened, withSignal(scope, signal)),
    )
  }

  async #begin(ofAudio: string, opened: AudioSource, scope: RunScope): Promise<BegunTask> {
    const { client, options, call, progress } = scope
    const countedSeconds = await this.checkedLength(opened, scope)
    const onUploadProgress = reporter(progress)
    const body = { model: options.transcriptionModel, ...opened.body }
    const { data: task, requestId } = await this.spend(countedSeconds, scope, () =>
      client.transcriptions.createTask(body, { ...call, onUploadProgress }).withResponse(),
    )
    const pending: PendingTranscript = {
      status: 'pending',
      source: opened.source,
      taskId: task.id,
      countedSeconds,
      transcriptId: ofAudio,
    }
    // Proof of whose task it is: the service's tasks belong to the key, not to the user.
    await this.transcripts.set(taskTranscriptId(task.id), pending, scope)
    await this.transcripts.set(ofAudio, pending, scope)
    return { task, pending, requestId }
  }

  async #sendTask(id: string, opened: AudioSource, scope: RunScope): Promise<Transcribed> {
    // So that `resume` finds it while it is sent.
    await this.transcripts.set(id, { status: 'pending', source: opened.source }, scope)
    const { task, pending, requestId } = await this.begin(id, opened, scope)
    const transcript = await this.#ended(id, pending, scope, task.creation)
    if (transcript === undefined) throw noTask(scope)
    return { id, transcript, requestId }
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

  /**
   * Waits for a task.
   * @param id Under which others wait for it.
   * @param creation The response that began it.
   * @returns `undefined` if the service no longer knows the task
   */
  async #ended(
    id: string,
    pending: PendingTranscript,
    scope: RunScope,
    { status = 'PENDING', retry_after: notBefore }: Partial<TaskCreation> = {},
  ): Promise<StoredTranscript | undefined> {
    const { taskId = '' } = pending
    const key = workKey(id, scope)
    const onUpdate = (task: Pick<Task, 'status'>): void => void this.#statuses.set(key, task.status)
    onUpdate({ status })
    try {
      const wait = { signal: scope.signal, timeout: TASK_WAIT_MS, notBefore, onUpdate }
      return await this.end(await scope.client.tasks.wait(taskId, wait), pending, scope)
    } catch (error) {
      if (TaskFailedError.isInstance(error)) return await this.end(error.task, pending, scope)
      if (ApiError.isInstance(error) && error.status === 404) return undefined
      throw TaskTimeoutError.isInstance(error) ? stillRunning(error, scope) : error
    } finally {
      this.#statuses.delete(key)
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
    const message = `The audio has ${countOf(Math.ceil(seconds), 'second')}; at most ${max} are transcribed. Use a shorter one.`
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

  /** The beginning of a transcript for the model, and the artifact. The next call for its address transcribes it again. */
  show(
    id: string,
    transcript: StoredTranscript,
    scope: RunScope,
    requestId?: string,
  ): OperationResult<TranscribeArtifact> {
    this.#addresses.delete(addressKey(transcript.source, scope))
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

async function useOnce<Result>(
  opened: AudioSource,
  scope: RunScope,
  use: (opened: AudioSource, share: Share) => Promise<Result>,
): Promise<Result> {
  let handedOver = false
  const share: Share = (running, id, work) =>
    running.run(workKey(id, scope), scope.signal, async (signal) => {
      handedOver = true
      try {
        return await work(withSignal(scope, signal))
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

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.set(key, value)
  const [oldest] = map.keys()
  if (oldest !== undefined && map.size > MOST_REMEMBERED) map.delete(oldest)
}

/** Names an address of a user. */
function addressKey(source: TranscriptSource, { access: { user } }: Pick<RunScope, 'access'>): string {
  return JSON.stringify([user ?? null, source])
}

/** Names work on a transcript of a user. */
function workKey(id: string, { access: { user } }: Pick<RunScope, 'access'>): string {
  return JSON.stringify([user ?? null, id])
}

/** The scope of work that other calls may wait for too. */
function withSignal(scope: RunScope, signal: AbortSignal): RunScope {
  return { ...scope, signal, call: { signal }, access: { ...scope.access, signal } }
}

/** Waits for work, at most `taskAfter`. @returns `undefined` if it is not done by then: it continues */
export async function withinLimit<Result>(
  work: Promise<Result>,
  { options: { taskAfter } }: Pick<RunScope, 'options'>,
): Promise<Result | undefined> {
  if (taskAfter === undefined) return work
  // Nobody may be waiting when it fails.
  work.catch(() => {})
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), taskAfter)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
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
