import {
  applyLexicon,
  checkSplit,
  streamPieces,
  TextOptionError,
  textPieces,
  type TextPiece,
} from '@svc-audio/text/sentences'
import { checkSpeechStream } from '../checks/speech.ts'
import { check, refused } from '../checks/rules.ts'
import { ConfigurationError, InvalidRequestError } from '../errors/request-errors.ts'
import { aigcValue } from '../streaming/wav-aigc.ts'
import { checkTimeout } from '../transport/settings.ts'
import {
  checkConcurrency,
  checkGaps,
  type NarrateOptions,
  type NarrationBody,
  type NarrationClient,
} from './narrate-options.ts'
import { Narration } from './narration.ts'
import { NarrationAudio } from './narration-audio.ts'
import { PieceQueue, type SpokenPiece } from './piece-queue.ts'

/**
 * Speaks a text of any length as one audio. It is made speakable, split into pieces within a limit, and spoken piece by
 * piece, a few at a time; silent edges are clipped where two pieces meet, and a gap is put there, save where the text
 * has a pause marker. Resolves once the format is known. A piece that fails ends all the others.
 *
 * A streamed `input` is spoken sentence by sentence, while it is written. When the narration ends early, its iterator is
 * asked to return; one that waits hears of it when it goes on.
 *
 * @throws InvalidRequestError before anything is sent, where the whole text is given
 * @throws ConfigurationError naming the option
 * @throws StreamFailedError, StreamTruncatedError or ProtocolError, here or while it is read
 * @example
 * const narration = await narrate(audio, { model: 'svc-tts-1.5-flash', voice_id, input: markdown })
 * await narration.saveTo('chapter-1.wav')
 */
export async function narrate(
  audio: NarrationClient,
  body: NarrationBody,
  options: NarrateOptions = {},
): Promise<Narration> {
  const { signal, timeout, headers } = options
  const gaps = checkGaps(options)
  const concurrency = checkConcurrency(options)
  checkTimeout(timeout)
  const call = { ...(timeout === undefined ? {} : { timeout }), ...(headers === undefined ? {} : { headers }) }
  const texts = await spokenPieces(body, options).catch((error: unknown) => {
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

/** The pieces in order. All options and, where the whole text is given, the text are checked first. */
async function spokenPieces(
  body: NarrationBody,
  options: NarrateOptions,
): Promise<AsyncGenerator<SpokenPiece, void, undefined>> {
  const { lexicon, speakable: how = true } = options
  const language = options.language ?? body.language
  const split = { maxCharacters: options.maxCharacters, language }
  checkSplit(split)
  check(body, { expected_duration_sec: refused('is the length of one request: leave it out, or set speed') })
  const { input } = body
  checkSpeechStream(isStream(input) ? { ...body, input: 'text that is still to come' } : body)
  // The Markdown parser is loaded only when it is needed.
  const reader = how === false ? undefined : await import('@svc-audio/text')
  const rules = how === true || how === false ? {} : how
  if (isStream(input)) {
    return spoken(streamPieces(reader === undefined ? input : reader.speakableStream(input, rules), split))
  }
  const text = reader === undefined ? input : reader.speakable(input, rules)
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

/** An option of the text package that is wrong is an option of `narrate()` that is wrong. */
function asConfigurationError(error: unknown): unknown {
  return TextOptionError.isInstance(error) ? new ConfigurationError(error.message, { cause: error }) : error
}

function isStream(input: unknown): input is AsyncIterable<string> {
  return typeof input === 'object' && input !== null && Symbol.asyncIterator in input
}
