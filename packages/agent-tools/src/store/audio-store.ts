import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { TranscriptionSegment, UploadStream } from '@svc-audio/core'

/**
 * Stores audio outside the conversation, so that messages name it by a short id. `folderAudioStore`, `memoryAudioStore`
 * and `serviceAudioStore` are implementations.
 */
export interface AudioStore {
  /**
   * Throws when audio cannot be stored at the moment. Tools call it before each billable call.
   * @default audio can always be stored
   */
  ready?(access?: StoreAccess): Promise<void>
  /** Stores the whole audio. When reading throws or `details.signal` aborts, nothing of it may remain. */
  put(audio: AudioInput, details: AudioDetails): Promise<StoredAudio>
  /**
   * Opens stored audio of this user; `undefined` when there is none with that id. The id comes from a model: treat it as
   * hostile. Its shape is checked: it has no slash and no `..`.
   */
  open(id: string, access?: StoreAccess): Promise<OpenedAudio | undefined>
  /** Lists stored audio of this user, the newest first. @default nothing is listed */
  list?(query?: AudioListQuery): Promise<readonly ListedAudio[]>
  /** Stores transcripts beside the audio. @default the tools keep the newest 100 transcripts in memory */
  readonly transcripts?: TranscriptStore
}

/** Query of the list of a store. */
export interface AudioListQuery extends StoreAccess {
  /** @default 100 */
  readonly limit?: number
}

/** Audio in the list of a store. */
export type ListedAudio = Pick<StoredAudio, 'id' | 'contentType' | 'bytes'>

/** Details of audio for a store. */
export interface AudioDetails extends StoreAccess {
  /** MIME type, e.g. `audio/wav`. */
  readonly contentType: string
}

/** Audio in a store. */
export interface StoredAudio {
  /**
   * Names the audio to model and store: 1 to 200 of `A-Z a-z 0-9 . _ ~ -`, beginning with a letter or digit, without
   * `..`. Anyone who knows it can have the audio transcribed, so it must be unguessable.
   */
  readonly id: string
  /** MIME type as stored. */
  readonly contentType: string
  /** Size of the audio. */
  readonly bytes: number
  /** Address of the audio, if it has one. */
  readonly url?: string
}

/** Stored audio: its bytes, or its id at the service. */
export type OpenedAudio =
  | ReadableAudio
  | {
      /** Id of a file that the service has: nothing is uploaded. */
      readonly file_id: string
    }

/** Stored audio that can be read. */
export interface ReadableAudio {
  /** MIME type as stored. */
  readonly contentType: string
  /** Exact size; without it an upload is chunked. */
  readonly bytes?: number
  /** Reads from the start. May be called again. */
  stream(): UploadStream
}

/** Whether a text has the shape of an id of an {@link AudioStore}. */
export function isAudioId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._~-]{0,199}$/.test(text) && !text.includes('..')
}

/** Where transcribed audio came from. */
export type TranscriptSource =
  | {
      readonly type: 'reference'
      /** Reference of stored audio. */
      readonly id: string
    }
  | {
      readonly type: 'url'
      /** Public https address of the audio. */
      readonly url: string
    }
  | {
      readonly type: 'path'
      /** Path relative to `allowedRoot`, with `/` between folders. */
      readonly path: string
    }

/** A transcript that tools can read on in. Plain JSON. */
export interface StoredTranscript {
  /** The transcript is complete. */
  readonly status: 'ready'
  /** Source of the audio. */
  readonly source: TranscriptSource
  /** The text as the service sent it. */
  readonly text: string
  /** Speaker turns with times, if the service separated speakers. */
  readonly segments?: readonly TranscriptionSegment[]
  /** Length of the audio, if the service reported it. */
  readonly durationSeconds?: number
}

/** A transcription that the service still works on. Plain JSON. */
export interface PendingTranscript {
  /** The transcript is not ready, or its task has failed. */
  readonly status: 'pending'
  /** Source of the audio. */
  readonly source: TranscriptSource
  /** The task that makes it. Absent after the task has failed. */
  readonly taskId?: string
  /** Id under which the transcript is stored too: that of its audio. */
  readonly transcriptId?: string
  /** Seconds of audio that a budget has counted. */
  readonly countedSeconds?: number
  /** The form in which the model wants it. @default plain text */
  readonly view?: TranscriptView
}

/** A form of a transcript. */
export interface TranscriptView {
  /** Text, or subtitles. @default 'text' */
  readonly format?: 'text' | 'srt' | 'vtt' | undefined
  /** Names of the speakers in the order in which they first speak. @default labels such as S01 */
  readonly speakers?: readonly string[] | undefined
}

/** Stores transcripts by ids that have the shape of an audio id. Each user has transcripts of their own. */
export interface TranscriptStore {
  /**
   * The transcript of this user under an id; `undefined` without one. The id comes from a model: treat it as hostile.
   */
  get(id: string, access?: StoreAccess): Promise<StoredTranscript | PendingTranscript | undefined>
  /** Replaces what is stored under this id. */
  set(id: string, transcript: StoredTranscript | PendingTranscript, access?: StoreAccess): Promise<void>
}

/**
 * Audio to store: a path on this machine, a `Blob`, bytes, or a stream. Never pass a string of a stranger or a model: it
 * is a path.
 */
export type AudioInput = string | Blob | Uint8Array | AsyncIterable<Uint8Array>

/** The bytes of an {@link AudioInput} in pieces. For stores of your own. */
export function readAudio(audio: AudioInput): AsyncIterable<Uint8Array> {
  if (typeof audio === 'string') return createReadStream(audio)
  if (audio instanceof Blob) return audio.stream()
  if (audio instanceof Uint8Array) return once(audio)
  return audio
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes
}

/** Run and user of a call of the store. */
export interface StoreAccess {
  /** Stops the work of the store. @default nothing stops it */
  readonly signal?: AbortSignal | undefined
  /** The user that `forRun` named. A store must not return anything of another user. */
  readonly user?: string | undefined
  /** The run's context, as the framework passed it. */
  readonly context?: unknown
}

/** File extensions by MIME type; the first of a type is used. */
const TYPES: readonly (readonly [extension: string, contentType: string])[] = [
  ['wav', 'audio/wav'],
  ['wav', 'audio/x-wav'],
  ['wav', 'audio/wave'],
  ['wav', 'audio/vnd.wave'],
  ['mp3', 'audio/mpeg'],
  ['ogg', 'audio/ogg'],
  ['flac', 'audio/flac'],
  ['aac', 'audio/aac'],
  ['m4a', 'audio/mp4'],
  ['webm', 'audio/webm'],
  ['bin', 'application/octet-stream'],
]

/** The extension and the canonical type for a MIME type; `bin` for an unknown one. */
export function typeOf(contentType: string): readonly [extension: string, contentType: string] {
  const [type = ''] = contentType.toLowerCase().split(';', 1)
  const [extension = 'bin'] = TYPES.find(([, known]) => known === type.trim()) ?? []
  return TYPES.find(([known]) => known === extension) ?? ['bin', 'application/octet-stream']
}

/** The MIME type of an extension; `undefined` for an unknown one. */
export function typeOfExtension(extension: string): string | undefined {
  return TYPES.find(([known]) => known === extension)?.[1]
}

/** A name for a user that is safe as a folder or a marker. */
export function userKey(user: string): string {
  return createHash('sha256').update(user).digest('hex').slice(0, 32)
}
