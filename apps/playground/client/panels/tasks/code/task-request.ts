import type { Voice } from '@svc-audio/core/pure'
import { fileField } from '../../../code/literal.ts'
import { callJson } from '../../../code/servers.ts'
import { speakersOf } from '../create-task.ts'
import { DIALOGUE, type TaskDraft, type TaskKind } from '../draft.ts'

/** The task on the screen. */
export interface TaskRequest {
  readonly kind: TaskKind
  /** The body of the request, without the text of speech and without the file. */
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
  return { kind, settings, text, voice, speakers, format, webhook, fileName, resource: RESOURCES[kind], call }
}
