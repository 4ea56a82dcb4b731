import { type AigcMarking, aigcValue, frameBytes } from '@svc-audio/core/adapter'
import type { AudioFormat, Synthesis, SynthesisOptions, Turn, Turns, VoiceManner } from '@svc-audio/engine-ports'
import { streamOver } from '@svc-audio/engine-ports/driver'
import type { WorkMeter } from '../../domain/usage.ts'
import type { ForClient } from '../../ports/engines.ts'
import type { Services, Using } from '../../services.ts'
import type { WorkOptions } from '../tasks/task.ts'
import { baseVoices } from '../voices.ts'
import { outputTooLong, type SpeechOrder } from './rules.ts'

/** Changes of speech that the interface offers only in streams and in voice generation. */
export interface SpeechChanges {
  /** Speaking rate, 0.25 to 4. @default 1 */
  readonly speed?: number | undefined
  /** Changes of a built-in voice with traits. @default none */
  readonly manner?: VoiceManner | undefined
  /** Sample rate of the format `pcm`, in Hz. @default that of the voice */
  readonly sampleRate?: number | undefined
}

/** Tenant, signal and meter of the work, and the id of the file that it makes. */
export type FileOptions = WorkOptions & {
  readonly id: string
  /** Whether the file is sent while it is made, and not stored: see `EncodeOptions.live`. @default false */
  readonly live?: boolean
}

/** Speaks a text. Resolves once the engine has accepted the text. The bytes of the file follow during synthesis. */
export async function speak(
  services: Services,
  order: Pick<SpeechOrder, 'text' | 'voiceId' | 'pauses' | 'format' | 'aigc'> & SpeechChanges,
  options: FileOptions,
): Promise<AsyncIterable<Uint8Array>> {
  const { text, voiceId, pauses, speed, manner } = order
  const request = {
    text,
    voiceId,
    pauses,
    ...(speed === undefined ? {} : { speed }),
    ...(manner === undefined ? {} : { manner }),
  }
  const accepted = await services.engines.speech.synthesize(request, speechOptions(services, options))
  return encodeSpeech(services, accepted, { ...order, characters: text.length }, options)
}

/** A text, the description of its voice, and the format of the audio. */
interface VoiceGeneration {
  readonly text: string
  readonly instruction: string
  readonly format: AudioFormat
}

/**
 * Speaks a text in a described voice, as {@link speak}. The same instruction always gives the same voice. The voice is
 * not stored: to get an id, create a voice from this audio.
 */
export async function generateVoice(
  services: Services,
  { text, instruction, format }: VoiceGeneration,
  options: FileOptions,
): Promise<AsyncIterable<Uint8Array>> {
  const { speech, designer } = services.engines
  const { base, ...manner } = designer.fromInstruction(instruction, baseVoices(speech, 'instruction'))
  const accepted = await speech.synthesize({ text, voiceId: base, manner }, speechOptions(services, options))
  return encodeSpeech(services, accepted, { format, characters: text.length }, options)
}

/** Signal, turns and client of speech. */
export function speechOptions(
  { engines: { semaphores } }: Using<'engines.semaphores'>,
  { signal, tenant, id }: WorkOptions,
): SynthesisOptions & ForClient & Pick<WorkOptions, 'signal'> {
  return { signal, turns: speechTurns(semaphores, tenant), client: { tenant, id } }
}

/** A file of speech to make. */
export interface SpeechFile extends LengthOptions {
  readonly format: AudioFormat
  /** Characters of its text. */
  readonly characters: number
  /** @default it is not marked */
  readonly aigc?: AigcMarking | undefined
  /** Sample rate of the format `pcm`, in Hz. @default that of the voice */
  readonly sampleRate?: number | undefined
}

/** Measures, limits and encodes speech that an engine has accepted. */
export function encodeSpeech(
  {
    engines: { codec, semaphores },
    settings: { maxOutputSeconds },
  }: Using<'engines.codec' | 'engines.semaphores' | 'settings.maxOutputSeconds'>,
  accepted: Synthesis,
  { format, characters, aigc: marking, sampleRate, param }: SpeechFile,
  { signal, tenant, id, meter, live = false }: FileOptions,
): AsyncIterable<Uint8Array> {
  meter?.speak(characters)
  const { format: pcm, chunks } = atMostSeconds(accepted, maxOutputSeconds, { param, meter })
  const aigc = aigcValue(marking, id)
  return codec.encode(chunks, {
    format,
    pcm,
    tenant,
    turns: encodingTurns(semaphores, tenant),
    signal,
    live,
    ...(aigc === undefined ? {} : { aigc }),
    ...(sampleRate === undefined ? {} : { sampleRate }),
  })
}

/**
 * Returns the turns of a tenant's speech. Each sentence is one turn, also a sentence that is only measured. A slot is
 * held only while a sentence is made: neither a slow client nor a long text delays others.
 */
export function speechTurns(semaphores: Services['engines']['semaphores'], tenant: string): Turns {
  const { speech } = semaphores
  const turns = encodingTurns(semaphores, tenant)
  return (cost, signal, work) => speech.use(tenant, signal, () => turns(cost, signal, work), cost)
}

/** Returns the turns of a tenant's encoding. */
function encodingTurns(semaphores: Services['engines']['semaphores'], tenant: string): Turns {
  return (cost, signal, work) => semaphores.processing.use(tenant, signal, () => work(turnOf(semaphores, tenant)), cost)
}

/** Work steps back only while another tenant has work here: alone, it would only leave processors idle. */
function turnOf(
  { speech, encoding, processing, recognition }: Services['engines']['semaphores'],
  tenant: string,
): Turn {
  const overflows = [speech, encoding, processing].some((semaphore) => semaphore.overflows(tenant))
  const others = [speech, encoding, processing, recognition].some((semaphore) => semaphore.hasOthers(tenant))
  return { background: overflows && others }
}

/** Options of {@link atMostSeconds}. */
interface LengthOptions {
  /** The field of the text, for the error. @default 'input' */
  readonly param?: string | undefined
  /** Measures the speech. @default nothing is measured */
  readonly meter?: WorkMeter | undefined
}

/**
 * Limits and measures the length of speech.
 * @param max In seconds.
 * @returns Chunks that throw ServiceError 400 `output_too_long` at the first chunk beyond the limit
 */
export function atMostSeconds(
  { format, chunks }: Synthesis,
  max: number,
  { param, meter }: LengthOptions = {},
): Synthesis {
  const bytesPerSecond = format.sampleRate * frameBytes(format)
  const source: AsyncIterator<Uint8Array, undefined> = chunks[Symbol.asyncIterator]()
  let bytes = 0
  const limited = streamOver(source, async () => {
    const result = await source.next()
    if (result.done === true) return result
    bytes += result.value.byteLength
    if (bytes <= max * bytesPerSecond) {
      meter?.madeSpeech(result.value.byteLength / bytesPerSecond)
      return result
    }
    await source.return?.()
    throw outputTooLong(max, param)
  })
  return { format, chunks: limited }
}
