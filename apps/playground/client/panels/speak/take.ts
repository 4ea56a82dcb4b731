import type { ResponseFormat, SpeechModel } from '@svc-audio/core/pure'
import type { Player } from '../../audio/player.ts'

/** A speech that was made. The browser stores it; its audio is in the task, or in the audio of the browser. */
export interface Take {
  /** The task of a stream, else an id of this browser. */
  readonly id: string
  readonly draft: SpeakDraft
  /** Unix milliseconds. */
  readonly at: number
  /** `cut`: the end is missing. `open`: it arrives, or its page was closed. */
  readonly end: 'open' | 'complete' | 'cut'
  readonly bytes: number
  /** Length of the audio, in seconds. 0 until known. */
  readonly seconds: number
  /** From the click to the first sample in the speakers, in milliseconds. Streams only. */
  readonly firstAudioMs?: number
  /** From the click to the last byte, in milliseconds. */
  readonly totalMs?: number
}

/** What the panel does. */
export type SpeakPhase = 'idle' | 'waiting' | 'receiving'

/** The audio of a take. */
export interface Sound {
  readonly player: Player
  /** The audio as a file. */
  readonly file: () => Blob | Promise<Blob>
}

/** The name of a take's file. */
export function fileNameOf({ draft }: Pick<Take, 'draft'>): string {
  return `speech.${isStream(draft) ? 'wav' : formatOf(draft)}`
}

/** What the Speak panel sends: all of it survives a reload. */
export interface SpeakDraft {
  readonly text: string
  /** Empty for the service's default. */
  readonly voice: string
  readonly model: SpeechModel
  /** `stream` plays at once; a format makes a file. */
  readonly output: 'stream' | ResponseFormat
  /** Streams only. */
  readonly speed: number
  /** Length of an inserted pause, in seconds. */
  readonly pause: number
}

const STORY =
  'The old clock on the wall had stopped many years ago. Nobody in the house could remember when. ' +
  'Then one day the clock began to move, and everyone stopped to listen.'

/** The first draft. */
export const FIRST_DRAFT: SpeakDraft = {
  text: STORY,
  voice: '',
  model: 'svc-tts-1.5-flash',
  output: 'stream',
  speed: 1,
  pause: 0.5,
}

/** The model that streams and knows pauses. */
export const STREAMING_MODEL = 'svc-tts-1.5-flash'

/** Whether the draft is a stream. Other models make files only. */
export function isStream({ model, output }: SpeakDraft): boolean {
  return output === 'stream' && model === STREAMING_MODEL
}

/** Whether there is a text and, for a file, a voice: only streams have a default (interface: speech, streaming speech). */
export function isReady(draft: SpeakDraft): boolean {
  return draft.text.trim() !== '' && (isStream(draft) || draft.voice !== '')
}

/** The format of the file that the draft makes. */
export function formatOf({ output }: SpeakDraft): ResponseFormat {
  return output === 'stream' ? 'mp3' : output
}

/** Texts to start with. The embedded voices speak English. */
export const SAMPLES: readonly { readonly title: string; readonly text: string }[] = [
  { title: 'Story', text: STORY },
  {
    title: 'Announcement',
    text: 'Good morning. The train to the coast leaves at seven forty-five from platform three. [pause 0.6s] Please keep your ticket ready.',
  },
  {
    title: 'Phone menu',
    text: 'Thank you for calling. For opening hours, press one. [pause 0.4s] For a person, press two. [pause 0.4s] To hear this again, press three.',
  },
  { title: 'Long read', text: longRead() },
]

function longRead(): string {
  const paragraph =
    'The harbour wakes before the town does. Boats come in with the first light, and the gulls follow them over the water. ' +
    'On the quay, people sort the catch into boxes of ice, and count them, and call the numbers to each other. ' +
    'By eight the market is open. By nine the best of it is gone, and the streets smell of bread and coffee.'
  return Array.from({ length: 6 }, () => paragraph).join('\n\n')
}
