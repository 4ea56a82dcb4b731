import { integer, type OptionRule } from '#options'
import type { ReadMarkdownOptions } from '@svc-audio/text'
import {
  applyLexicon,
  checkSplit,
  type Lexicon,
  type SplitOptions,
  streamPieces,
  TextOptionError,
  type TextPiece,
  textPieces,
} from '@svc-audio/text/sentences'
import { aigcValue } from '../audio/index.ts'
import { check, checkOption, checkSpeechStream, refused, timeout as deadline } from '../checks/index.ts'
import { ConfigurationError, InvalidRequestError } from '../errors.ts'
import type { SpeechStreamBody } from '../resources/index.ts'
import type { CallOptions } from '../transport/index.ts'
import type { FileAccess } from '../uploads/index.ts'
import type { ModelOf, StreamingSpeechModel } from '../wire/index.ts'
import { type Gaps, Narration, NarrationAudio } from './narration.ts'
import { PieceQueue, type SpokenPiece, type SpokenStream } from './piece-queue.ts'

/**
 * Speaks a text of any length as one audio. It converts the text to speakable text, splits it into pieces, and
 * synthesizes a few pieces at a time. Between two pieces it clips the silent edges and inserts a gap, unless the text
 * has a pause marker there. Resolves when the format is known. A failed piece ends all others.
 *
 * A streamed `input` is spoken sentence by sentence, while it is written. If the narration ends early, the iterator's
 * `return()` is called. A generator with a pending read ends after that read.
 *
 * @throws InvalidRequestError before the request, where the whole text is given
 * @throws ConfigurationError naming the option
 * @throws StreamFailedError, StreamTruncatedError or ProtocolError, here or while the stream is read
 * @example
 * const narration = await narrate(audio, { model: 'svc-tts-1.5-flash', voice_id, input: markdown })
 * await narration.saveTo('chapter-1.wav')
 */
export async function narrate<Model extends string>(
  audio: NarrationClient,
  body: NarrationBody & { readonly model: ModelOf<StreamingSpeechModel, Model> },
  options: NarrateOptions = {},
): Promise<Narration> {
  const { speakable: how = true, ...others } = options
  return speak(audio, body, others, how === false ? undefined : async () => loadReader(how))
}

/**
 * Speaks a text of any length as one audio, as {@link narrate} does, but speaks the text unchanged: no character of it
 * is markup. A bundle with this function alone contains no Markdown reader, which takes about 105 KB.
 *
 * @throws as {@link narrate}
 * @example
 * const narration = await narratePlainText(audio, { model: 'svc-tts-1.5-flash', voice_id, input: letter })
 */
export async function narratePlainText<Model extends string>(
  audio: NarrationClient,
  body: NarrationBody & { readonly model: ModelOf<StreamingSpeechModel, Model> },
  options: NarratePlainTextOptions = {},
): Promise<Narration> {
  return speak(audio, body, options)
}

/** Makes a text speakable. */
interface Reader {
  readonly read: (text: string) => string
  readonly readStream: (text: AsyncIterable<string>) => AsyncIterable<string>
}

/** Loads the Markdown reader, which is larger than everything else here. */
async function loadReader(how: Exclude<NarrateOptions['speakable'], false | undefined>): Promise<Reader> {
  const { speakable, speakableStream } = await import('@svc-audio/text')
  const rules = how === true ? {} : how
  return { read: (text) => speakable(text, rules), readStream: (text) => speakableStream(text, rules) }
}

async function speak(
  audio: NarrationClient,
  body: NarrationBody,
  options: NarratePlainTextOptions,
  load?: () => Promise<Reader>,
): Promise<Narration> {
  const { signal, timeout, headers } = options
  const gaps = checkGaps(options)
  const concurrency = checkConcurrency(options)
  checkOption('timeout', deadline, timeout)
  const call = { ...(timeout === undefined ? {} : { timeout }), ...(headers === undefined ? {} : { headers }) }
  const texts = await spokenPieces(body, options, load).catch((error: unknown) => {
    throw asConfigurationError(error)
  })
  const queue = new PieceQueue({
    texts,
    open: (text, aborted) => audio.speech.stream({ ...body, input: text.spoken }, { ...call, signal: aborted }),
    concurrency,
    signal,
  })
  try {
    const first = await queue.until(() => queue.first)
    if (first === null) throw new InvalidRequestError('missing_required_field', 'input', 'holds nothing to speak')
    const stream = await queue.until(() => first.audio.stream)
    const aigc = aigcValue(body.aigc_metadata, stream.taskId ?? stream.requestId ?? '')
    return new Narration(new NarrationAudio(queue, stream.format, gaps), aigc, audio.speech.files)
  } catch (error) {
    queue.close(error)
    throw error
  }
}

/** The pieces in order. All options are checked first, and the text too if it is a string. */
async function spokenPieces(
  body: NarrationBody,
  options: NarratePlainTextOptions,
  load?: () => Promise<Reader>,
): Promise<AsyncGenerator<SpokenPiece, void, undefined>> {
  const { lexicon } = options
  const language = options.language ?? body.language
  const split = { maxCharacters: options.maxCharacters, language }
  checkSplit(split)
  check(body, { expected_duration_sec: refused('is the length of one request: leave it out, or set speed') })
  const { input } = body
  checkSpeechStream(isStream(input) ? { ...body, input: 'text that is still to come' } : body)
  const reader = await load?.()
  if (isStream(input)) return spoken(streamPieces(reader?.readStream(input) ?? input, split))
  const text = reader?.read(input) ?? input
  checkSpeechStream({ ...body, input: text })
  return spoken(textPieces(text, split))

  async function* spoken(
    pieces: AsyncIterable<TextPiece> | readonly TextPiece[],
  ): AsyncGenerator<SpokenPiece, void, undefined> {
    for await (const { text: written, endsParagraph } of pieces) {
      const both = lexicon === undefined ? { written, spoken: written } : applyLexicon(written, lexicon, language)
      if (both.spoken.trim() !== '') yield { ...both, endsParagraph }
    }
  }
}

/** Converts an option error of the text package to one of `narrate()`. */
function asConfigurationError(error: unknown): unknown {
  return TextOptionError.isInstance(error) ? new ConfigurationError(error.message, { cause: error }) : error
}

function isStream(input: unknown): input is AsyncIterable<string> {
  return typeof input === 'object' && input !== null && Symbol.asyncIterator in input
}

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
function checkConcurrency({ concurrency = 2 }: NarratePlainTextOptions): number {
  checkOption('concurrency', integer(1, undefined, 32), concurrency)
  return concurrency
}

const gap: OptionRule = (value) =>
  typeof value === 'number' && value >= 0 && value <= 60 ? undefined : 'must be a number of seconds from 0 to 60'

/** @throws ConfigurationError unless each gap is from 0 to 60 seconds */
function checkGaps({ gapSeconds = 0.2, paragraphGapSeconds = 0.5 }: NarratePlainTextOptions): Gaps {
  for (const [name, seconds] of Object.entries({ gapSeconds, paragraphGapSeconds })) checkOption(name, gap, seconds)
  return { gapSeconds, paragraphGapSeconds }
}
