import { aigcValue, frameBytes, type PcmFormat } from '@svc-audio/core/audio'
import { invalid } from '../../domain/service-error.ts'
import { type Synthesis, type SynthesisOptions, UnspeakableTextError } from '@svc-audio/engine-ports'
import type { ForClient, ServedSpeech } from '../../ports/engine-state.ts'
import type { Services } from '../../services.ts'
import { gapAfter } from './dialogue-gaps.ts'
import type { DialogueLine, DialogueOrder } from './dialogue-rules.ts'
import { atMostSeconds, encodingTurns, speechTurns } from '../speech/speech-output.ts'
import type { WorkOptions } from '../speech/speak.ts'

/**
 * Speaks a dialogue. Resolves once the engine has accepted every line. The bytes of the file follow during synthesis.
 * @param options.id Id of the file, for its AIGC marking.
 * @throws ServiceError 400 `unspeakable_text` with the line as field
 */
export async function speakDialogue(
  {
    speech,
    codec,
    semaphores,
    maxOutputSeconds,
  }: Pick<Services, 'speech' | 'codec' | 'semaphores' | 'maxOutputSeconds'>,
  { lines, format, aigc: marking }: Pick<DialogueOrder, 'lines' | 'format' | 'aigc'>,
  options: WorkOptions & { readonly id: string },
): Promise<AsyncIterable<Uint8Array>> {
  const { id, signal, tenant, meter } = options
  const accepted = await synthesizeDialogue(speech, lines, {
    signal,
    turns: speechTurns(semaphores, tenant),
    client: { tenant, id },
  })
  meter?.speak(lines.reduce((sum, { text }) => sum + text.length, 0))
  const synthesis = atMostSeconds(accepted, maxOutputSeconds, { param: 'segments', meter })
  const aigc = aigcValue(marking, id)
  return codec.encode(synthesis.chunks, {
    format,
    pcm: synthesis.format,
    tenant,
    turns: encodingTurns(semaphores, tenant),
    signal,
    ...(aigc === undefined ? {} : { aigc }),
  })
}

/** Signal and turns of a dialogue. */
type DialogueOptions = SynthesisOptions & ForClient & { readonly signal: AbortSignal }

/** Number of lines that are checked before other requests get a turn. */
const LINES_AT_ONCE = 100

/**
 * Synthesizes a dialogue as PCM, one line at a time with natural gaps. All lines are checked first: an unspeakable
 * line is refused before any audio is sent.
 * @throws ServiceError 400 `unspeakable_text` with the line as field
 */
export async function synthesizeDialogue(
  speech: ServedSpeech,
  lines: readonly DialogueLine[],
  options: DialogueOptions,
): Promise<Synthesis> {
  const { signal } = options
  let format: PcmFormat | undefined
  for (const [index, line] of lines.entries()) {
    if (index % LINES_AT_ONCE === LINES_AT_ONCE - 1) await new Promise<void>((resolve) => void setImmediate(resolve))
    signal.throwIfAborted()
    format = (await accept(speech, line, index, options)).format
  }
  if (format === undefined) throw new RangeError('A dialogue must have at least one line')
  return { format, chunks: speakLines(speech, lines, options) }
}

/** Accepting a text is cheap: the engine starts its work at the first read. */
async function accept(
  speech: ServedSpeech,
  { text, voiceId }: DialogueLine,
  index: number,
  options: DialogueOptions,
): Promise<Synthesis> {
  try {
    return await speech.synthesize({ text, voiceId }, options)
  } catch (error) {
    if (!(error instanceof UnspeakableTextError)) throw error
    throw invalid('unspeakable_text', `segments[${index}].text`, error.message)
  }
}

async function* speakLines(
  speech: ServedSpeech,
  lines: readonly DialogueLine[],
  options: DialogueOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const [index, line] of lines.entries()) {
    const { chunks, format } = await accept(speech, line, index, options)
    yield* chunks
    const next = lines[index + 1]
    if (next !== undefined) yield silence(gapAfter(line, next), format)
  }
}

function silence(seconds: number, format: PcmFormat): Uint8Array {
  return new Uint8Array(Math.round(seconds * format.sampleRate) * frameBytes(format))
}
