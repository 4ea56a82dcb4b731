import type { ReadMarkdownOptions } from '@svc-audio/text'
import type { Lexicon, SplitOptions } from '@svc-audio/text/sentences'
import { ConfigurationError } from '../errors/request-errors.ts'
import type { SpeechStreamBody } from '../resources/speech.ts'
import type { CallOptions } from '../transport/call-options.ts'
import type { FileAccess } from '../transport/uploads.ts'
import type { Gaps } from './narration-audio.ts'
import type { SpokenStream } from './piece-audio.ts'

/** What {@link narrate} needs of a client: every client of this package has it. */
export interface NarrationClient {
  readonly speech: {
    stream(body: SpeechStreamBody, options?: CallOptions): Promise<SpokenStream>
    /** For `saveTo()`; without it that throws `ConfigurationError`. */
    readonly files?: FileAccess | undefined
  }
}

/**
 * Body of {@link narrate}: that of `speech.stream`, where `input` may be of any length, or come while it is written.
 * `expected_duration_sec` is not taken, since it is the length of one request.
 */
export type NarrationBody = Omit<SpeechStreamBody, 'input' | 'expected_duration_sec'> & {
  readonly input: string | AsyncIterable<string>
}

/**
 * Options of {@link narrate}. Those of a call count for each piece: `timeout` is the deadline of one, waiting for its
 * turn included; `signal` ends all of them.
 */
export interface NarrateOptions extends CallOptions, SplitOptions {
  /** Pieces that are spoken at a time, 1 to 32; each holds at most 8 MiB of audio. @default 2 */
  readonly concurrency?: number | undefined
  /** Silence between two pieces of a paragraph, 0 to 60 seconds. @default 0.2 */
  readonly gapSeconds?: number | undefined
  /** Silence behind a paragraph, 0 to 60 seconds. @default 0.5 */
  readonly paragraphGapSeconds?: number | undefined
  /**
   * Reads the text as Markdown and speaks what `speakable()` of `@svc-audio/text` makes of it; `false` speaks the text
   * as it stands.
   * @default true
   */
  readonly speakable?: boolean | Omit<ReadMarkdownOptions, 'lexicon' | 'language'> | undefined
  /** Respells terms in what is spoken; captions keep what was written. */
  readonly lexicon?: Lexicon | undefined
  /** Language of the text, for splitting and for the lexicon. @default the body's `language` */
  readonly language?: string | undefined
}

/** @throws ConfigurationError when `concurrency` is no whole number from 1 to 32 */
export function checkConcurrency({ concurrency = 2 }: NarrateOptions): number {
  if (Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= 32) return concurrency
  throw new ConfigurationError('concurrency must be a whole number from 1 to 32')
}

/** @throws ConfigurationError when a gap is not from 0 to 60 seconds */
export function checkGaps({ gapSeconds = 0.2, paragraphGapSeconds = 0.5 }: NarrateOptions): Gaps {
  for (const [name, seconds] of Object.entries({ gapSeconds, paragraphGapSeconds })) {
    if (!(seconds >= 0 && seconds <= 60)) throw new ConfigurationError(`${name} must be from 0 to 60`)
  }
  return { gapSeconds, paragraphGapSeconds }
}
