import {
  applyLexicon,
  checkSplit,
  streamPieces,
  TextOptionError,
  textPieces,
  type TextPiece,
} from '@svc-audio/text/sentences'
import { checkOption, timeout as deadline } from '../checks/option-rules.ts'
import { checkSpeechStream } from '../checks/speech.ts'
import { check, refused } from '../checks/rules.ts'
import { ConfigurationError, InvalidRequestError } from '../errors/request-errors.ts'
import { aigcValue } from '../audio/wav-aigc.ts'
import type { ModelOf, StreamingSpeechModel } from '../wire/models.ts'
import {
  checkConcurrency,
  checkGaps,
  type NarrateOptions,
  type NarratePlainTextOptions,
  type NarrationBody,
  type NarrationClient,
} from './narrate-options.ts'
import { Narration } from './narration.ts'
import { NarrationAudio } from './narration-audio.ts'
import { PieceQueue, type SpokenPiece } from './piece-queue.ts'

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
