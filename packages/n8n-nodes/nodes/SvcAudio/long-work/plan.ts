import type { FileTarget } from '../operations/file-target.ts'

/** What happens to the audio of a task. */
export interface AudioPlan {
  readonly kind: 'audio'
  /** Format that was asked for. */
  readonly format: string
  /** The binary field for the audio. Absent if the URL is output. */
  readonly target?: FileTarget
}

/** What the form says about the output of a transcription. */
export interface TranscriptSettings {
  readonly format: string
  /** Names of speakers by label. */
  readonly names: Readonly<Record<string, string>>
  /** Whether cues name their speakers. */
  readonly speakers?: boolean
  /** Longest line of subtitles. */
  readonly lineLength?: number
  /** Binary field of the subtitles. */
  readonly target?: FileTarget
  /** Stored file to delete afterwards. */
  readonly deleteFile?: string
}

/** What happens to the transcript of a task. */
export interface TranscriptPlan {
  readonly kind: 'transcript'
  readonly settings: TranscriptSettings
}

/** What is left to do when a task has ended. n8n stores it with the run, so it is JSON. */
export type FinishPlan = AudioPlan | TranscriptPlan

/** A task that a node has started by itself, because its work is long. */
export interface LongTask {
  readonly taskId: string
  readonly plan: FinishPlan
  /** Milliseconds that the wait may take. 0 sets no limit. */
  readonly timeout: number
}
