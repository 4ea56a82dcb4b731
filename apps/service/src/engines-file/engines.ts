import type { EngineParts } from '@svc-audio/engine-ports'

/** The engines that the service brings. */
export const BUNDLED = ['speech', 'recognition', 'diarization'] as const

/** One of {@link BUNDLED}. */
export type BundledEngine = (typeof BUNDLED)[number]

/** An engine of the file. */
export interface FileEngine {
  readonly name: string
  readonly driver: string
  readonly parts: EngineParts
  /** Maximum requests at the same time. */
  readonly atOnce: number
  /** Transcription models that it serves. @default all */
  readonly models: readonly string[] | undefined
  /** Languages that it recognizes. @default those of the engine */
  readonly languages: readonly string[] | undefined
}

/** The engines of a file, in their order, and the bundled ones that remain behind them. */
export interface FileEngines {
  readonly engines: readonly FileEngine[]
  readonly bundled: ReadonlySet<BundledEngine>
}

/** What a start without a file uses. */
export const NO_FILE: FileEngines = { engines: [], bundled: new Set(BUNDLED) }
