import type { PureAudioClient, ResponseFormat, Voice } from '@svc-audio/core/pure'
import { fileField } from '../../code/snippet.ts'
import { callJson } from '../../code/servers.ts'

/** Kinds of tasks that the panel creates, in the order of the tabs. */
export const TASK_KINDS = ['speech', 'dialogue', 'transcription'] as const

/** One of {@link TASK_KINDS}. */
export type TaskKind = (typeof TASK_KINDS)[number]

/** What the form sends: all of it survives a reload, but the file. */
export interface TaskDraft {
  readonly kind: TaskKind
  readonly text: string
  /** Empty for the service's default. */
  readonly voice: string
  readonly format: ResponseFormat
  readonly webhook: boolean
}

/** The first draft. */
export const FIRST_DRAFT: TaskDraft = {
  kind: 'speech',
  text:
    'Chapter one. The ferry left the island before sunrise, with four passengers and a crate of lemons. ' +
    'Nobody spoke until the lighthouse was out of sight.',
  voice: '',
  format: 'mp3',
  webhook: true,
}

/** The sample of a dialogue: the first two voices take turns. */
export const DIALOGUE: readonly { readonly speaker: 'host' | 'guest'; readonly text: string }[] = [
  { speaker: 'host', text: 'Did you hear the news about the old bridge?' },
  { speaker: 'guest', text: 'They want to open it again in the spring.' },
  { speaker: 'host', text: 'Then we can walk to the market like before.' },
]

/** Names of the sample's speakers, in the order of the voices. */
export const SPEAKERS = ['host', 'guest'] as const

/** A recording to transcribe. */
export interface TaskFile {
  readonly data: Blob
  readonly name: string
}

/** What a new task needs. */
export interface NewTask {
  readonly client: PureAudioClient
  readonly draft: TaskDraft
  /** For a transcription. */
  readonly file: TaskFile | undefined
  /** For the dialogue: its speakers have the first voices. */
  readonly voices: readonly Voice[]
  readonly webhook_url: string | undefined
  readonly signal: AbortSignal
}

/** A created task: its id and a title for the list. */
export interface CreatedTask {
  readonly id: string
  readonly title: string
}

/**
 * Creates a task of the draft's kind.
 * @throws errors of the client
 */
export async function createTask(task: NewTask): Promise<CreatedTask> {
  const { client, draft, file, voices, signal } = task
  const hook = task.webhook_url === undefined ? {} : { webhook_url: task.webhook_url }
  const { format: response_format } = draft
  if (draft.kind === 'transcription') {
    if (file === undefined) throw new Error('Choose a recording first')
    const { id } = await client.transcriptions.createTask({ model: 'svc-transcribe-1.0', file, ...hook }, { signal })
    return { id, title: file.name }
  }
  if (draft.kind === 'dialogue') {
    const body = { model: 'svc-ttsd-1.0', speakers: speakersOf(voices), segments: DIALOGUE, response_format } as const
    const { id } = await client.dialogue.createTask({ ...body, ...hook }, { signal })
    return { id, title: DIALOGUE[0]?.text ?? 'Dialogue' }
  }
  const body = { model: 'svc-tts-1.5-flash', input: draft.text, voice_id: draft.voice, response_format } as const
  const { id } = await client.speech.createTask({ ...body, ...hook }, { signal })
  return { id, title: draft.text.trim().slice(0, 120) }
}

/** The speakers of the sample with their voices. A service with one voice speaks both. */
export function speakersOf(voices: readonly Pick<Voice, 'id'>[]): { readonly id: string; readonly voice_id: string }[] {
  return SPEAKERS.map((id, index) => ({ id, voice_id: (voices[index] ?? voices[0])?.id ?? '' }))
}

/** The task on the screen. */
export interface TaskRequest {
  readonly kind: TaskKind
  /** The body of the request, without the file. */
  readonly body: object
  /** The same without the text of speech. */
  readonly settings: object
  /** The text of speech. */
  readonly text: string
  readonly voice: string
  readonly speakers: readonly { readonly id: string; readonly voice_id: string }[]
  readonly format: string
  readonly webhook: boolean
  /** Name of the recording. */
  readonly fileName: string
  /** Resource of the client, e.g. `speech`. */
  readonly resource: 'speech' | 'dialogue' | 'transcriptions'
  /** Command that creates the task at a server of the Code tab. */
  readonly call: string
}

/** Paths of the servers by kind. */
const RESOURCES = { speech: 'speech', dialogue: 'dialogue', transcription: 'transcriptions' } as const

/** The task of the form. */
export function taskRequest(
  { kind, text, voice, format, webhook }: TaskDraft,
  voices: readonly Pick<Voice, 'id'>[],
  fileName: string,
): TaskRequest {
  const speakers = speakersOf(voices)
  const settings = {
    speech: { model: 'svc-tts-1.5-flash', voice_id: voice, response_format: format },
    dialogue: { model: 'svc-ttsd-1.0', speakers, segments: DIALOGUE, response_format: format },
    transcription: { model: 'svc-transcribe-1.0' },
  }[kind]
  const call = {
    speech: callJson('speech', { text }),
    dialogue: 'curl --request POST localhost:3000/dialogue',
    transcription: `curl --form ${fileField('file', fileName)} localhost:3000/transcriptions`,
  }[kind]
  const body = kind === 'speech' ? { input: text, ...settings } : settings
  return { kind, body, settings, text, voice, speakers, format, webhook, fileName, resource: RESOURCES[kind], call }
}
