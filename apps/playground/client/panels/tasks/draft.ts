import type { ResponseFormat } from '@svc-audio/core/pure'

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
