import type { Player } from '../../audio/player.ts'
import type { SpeakDraft } from './draft.ts'

/** A speech that was made. */
export interface Take {
  readonly id: number
  readonly draft: SpeakDraft
  readonly at: Date
  readonly player: Player
  /** The audio as a file. */
  readonly file: () => Blob | Promise<Blob>
  readonly fileName: string
  /** `cut`: the end is missing. */
  readonly end: 'open' | 'complete' | 'cut'
  readonly bytes: number
  /** Length of the audio, in seconds. 0 until known. */
  readonly seconds: number
  /** From the click to the first sample in the speakers, in milliseconds. Streams only. */
  readonly firstAudioMs: number | undefined
  /** From the click to the last byte, in milliseconds. */
  readonly totalMs: number | undefined
}
