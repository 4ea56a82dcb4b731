import { frameBytes, type PcmFormat } from '@svc-audio/core/streaming'
import { aigcValue } from '@svc-audio/core/streaming'
import { invalid } from '../../domain/service-error.ts'
import { type SpeechEngine, type Synthesis, UnspeakableTextError } from '../../ports/speech-engine.ts'
import type { Services } from '../../services.ts'
import { gapAfter } from './dialogue-gaps.ts'
import type { DialogueLine, DialogueOrder } from './dialogue-rules.ts'
import { fairSpeech } from '../speech/fair-speech.ts'
import type { WorkOptions } from '../speech/speak.ts'

/**
 * Speaks a dialogue. Resolves once the engine has accepted every line; the file's bytes follow as they are made.
 * @param options.id Id of the file, for its marking.
 * @throws ServiceError 400 `unspeakable_text` naming the line
 */
export async function speakDialogue(
  { speech, codec, semaphores }: Pick<Services, 'speech' | 'codec' | 'semaphores'>,
  { lines, format, aigc: marking }: Pick<DialogueOrder, 'lines' | 'format' | 'aigc'>,
  options: WorkOptions & { readonly id: string },
): Promise<AsyncIterable<Uint8Array>> {
  const { id, signal, tenant } = options
  const synthesis = fairSpeech(await synthesizeDialogue(speech, lines, signal), semaphores.speech, options)
  const aigc = aigcValue(marking, id)
  return codec.encode(synthesis.chunks, {
    format,
    pcm: synthesis.format,
    tenant,
    signal,
    ...(aigc === undefined ? {} : { aigc }),
  })
}

/** Lines that are looked at before other requests get a turn. */
const LINES_AT_ONCE = 100

/**
 * A dialogue as PCM, line after line with natural gaps. One line at a time is under work. All of them are tried first,
 * so that none turns out to be unspeakable when half of the audio is out.
 * @throws ServiceError 400 `unspeakable_text` naming the line
 */
export async function synthesizeDialogue(
  speech: SpeechEngine,
  lines: readonly DialogueLine[],
  signal: AbortSignal,
): Promise<Synthesis> {
  let format: PcmFormat | undefined
  for (const [index, line] of lines.entries()) {
    if (index % LINES_AT_ONCE === LINES_AT_ONCE - 1) await new Promise<void>((resolve) => void setImmediate(resolve))
    signal.throwIfAborted()
    format = (await accept(speech, line, index, signal)).format
  }
  if (format === undefined) throw new RangeError('A dialogue needs a line')
  return { format, chunks: speakLines(speech, lines, signal) }
}

/** An engine accepts a text without working on it: that begins at the first read. */
async function accept(
  speech: SpeechEngine,
  { text, voiceId }: DialogueLine,
  index: number,
  signal: AbortSignal,
): Promise<Synthesis> {
  try {
    return await speech.synthesize({ text, voiceId }, { signal })
  } catch (error) {
    if (!(error instanceof UnspeakableTextError)) throw error
    throw invalid('unspeakable_text', `segments[${index}].text`, error.message)
  }
}

async function* speakLines(
  speech: SpeechEngine,
  lines: readonly DialogueLine[],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const [index, line] of lines.entries()) {
    const { chunks, format } = await accept(speech, line, index, signal)
    yield* chunks
    const next = lines[index + 1]
    if (next !== undefined) yield silence(gapAfter(line, next), format)
  }
}

function silence(seconds: number, format: PcmFormat): Uint8Array {
  return new Uint8Array(Math.round(seconds * format.sampleRate) * frameBytes(format))
}
