import type { Player } from '../../audio/player.ts'
import { formatOf, isStream, type SpeakDraft } from './draft.ts'

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
