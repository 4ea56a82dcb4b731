import type { ReadMarkdownOptions } from '@svc-audio/text'
import type { Lexicon, SplitOptions } from '@svc-audio/text/sentences'
import { integer, type OptionRule } from '@svc-audio/options'
import { checkOption } from '../checks/option-rules.ts'
import type { SpeechStreamBody } from '../resources/speech.ts'
import type { CallOptions } from '../transport/call.ts'
import type { FileAccess } from '../transport/upload-source.ts'
import type { Gaps } from './narration-audio.ts'
import type { SpokenStream } from './piece-audio.ts'

/** The part of a client that {@link narrate} uses. Every client of this package has it. */
export interface NarrationClient {
  /** The part of `AudioClient` that narration uses. */
  readonly speech: {
    /** Streams the speech of one piece. */
    stream(body: SpeechStreamBody, options?: CallOptions): Promise<SpokenStream>
    /** Access to files, for `saveTo()`. Without it, `saveTo()` throws `ConfigurationError`. */
    readonly files?: FileAccess | undefined
  }
}

/**
 * Body of {@link narrate}: that of `speech.stream`, with an `input` of any length, or a streamed one.
 * `expected_duration_sec` is refused, because it applies to one request.
 */
export type NarrationBody = Omit<SpeechStreamBody, 'input' | 'expected_duration_sec'> & {
  /** The text, or its parts as they arrive. */
  readonly input: string | AsyncIterable<string>
}

/**
 * Options of {@link narrate}. Call options apply to each piece: `timeout` is the deadline of one piece, its time in the
 * queue included. `signal` ends all pieces.
 */
export interface NarrateOptions extends CallOptions, SplitOptions {
  /** Pieces synthesized at a time, 1 to 32. Each holds at most 8 MiB of audio. @default 2 */
  readonly concurrency?: number | undefined
  /** Silence between two pieces of a paragraph, 0 to 60 seconds. @default 0.2 */
  readonly gapSeconds?: number | undefined
  /** Silence after a paragraph, 0 to 60 seconds. @default 0.5 */
  readonly paragraphGapSeconds?: number | undefined
  /**
   * Treats the text as Markdown and converts it with `speakable()` of `@svc-audio/text`. `false` speaks the text
   * unchanged. If that is always so, use `narratePlainText()`: its bundle has no Markdown reader.
   * @default true
   */
  readonly speakable?: boolean | Omit<ReadMarkdownOptions, 'lexicon' | 'language'> | undefined
  /** Respells terms in the spoken text. Captions show the written text. */
  readonly lexicon?: Lexicon | undefined
  /** Language of the text, for splitting and for the lexicon. @default the body's `language` */
  readonly language?: string | undefined
}

/** Options of {@link narratePlainText}. */
export type NarratePlainTextOptions = Omit<NarrateOptions, 'speakable'>

/** @throws ConfigurationError unless `concurrency` is a whole number from 1 to 32 */
export function checkConcurrency({ concurrency = 2 }: NarratePlainTextOptions): number {
  checkOption('concurrency', integer(1, undefined, 32), concurrency)
  return concurrency
}

const gap: OptionRule = (value) =>
  typeof value === 'number' && value >= 0 && value <= 60 ? undefined : 'must be a number of seconds from 0 to 60'

/** @throws ConfigurationError unless each gap is from 0 to 60 seconds */
export function checkGaps({ gapSeconds = 0.2, paragraphGapSeconds = 0.5 }: NarratePlainTextOptions): Gaps {
  for (const [name, seconds] of Object.entries({ gapSeconds, paragraphGapSeconds })) checkOption(name, gap, seconds)
  return { gapSeconds, paragraphGapSeconds }
}
