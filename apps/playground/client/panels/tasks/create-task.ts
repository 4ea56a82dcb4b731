import type { PureAudioClient, Voice } from '@svc-audio/core/pure'
import { DIALOGUE, SPEAKERS, type TaskDraft } from './draft.ts'

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
