import { type AudioBody, ProtocolError } from '@svc-audio/core'
import { WavMeter } from '@svc-audio/core/audio'
import { speakable } from '@svc-audio/text'
import { z } from 'zod'
import { SpeechToolError, storeFailed } from '../errors/speech-tool-error.ts'
import { hasChoice } from '../options/resolve-options.ts'
import type { ResolvedOptions } from '../options/speech-tools-options.ts'
import type { Budget } from '../run/budget.ts'
import type { RunScope } from '../run/run-context.ts'
import { isAudioId, type StoredAudio } from '../store/audio-store.ts'
import type { SpeakArtifact } from './artifacts.ts'
import { defineOperation, invalidArguments, type OperationResult, type SpeechOperation } from './operation.ts'
import { namedVoice, voiceField, withNamedVoices } from './voices.ts'

/** Arguments of `speak`. `voice` is there when the application lists voices. */
export type SpeakSchema = z.ZodObject<{
  /** The words to speak. */
  text: z.ZodString
  /** Name of a voice. Absent without the options `voices` and `serviceVoices`. */
  voice?: z.ZodOptional<z.ZodString>
}>

const SPEAK_USAGE = 'Give the words to speak as "text", a non-empty string.'

/** Text to audio in the store; the model gets its reference and length. */
export function speakOperation(options: ResolvedOptions, budget: Budget): SpeechOperation<SpeakSchema, SpeakArtifact> {
  const text = z.string().describe('The words to speak, as a person says them.')
  const schema: SpeakSchema = hasChoice(options)
    ? z.object({ text, voice: voiceField(options).optional() })
    : z.object({ text })
  return defineOperation(options, {
    tool: 'speak',
    title: 'Speak',
    description: describe(options),
    schema,
    usage: hasChoice(options) ? `${SPEAK_USAGE} "voice" may be ${namesOf(options)}.` : SPEAK_USAGE,
    readOnly: false,
    run: (args, scope) => speak(args, scope, budget),
  })
}

function namesOf({ voices, serviceVoices, names }: ResolvedOptions): string {
  if (serviceVoices) return `a voice as ${names.list_voices} names it`
  return `one of: ${voices.map(({ name }) => name).join(', ')}`
}

function describe({ model, maxCharacters }: ResolvedOptions): string {
  // Interface: only this model knows pause markers.
  const pauses = model === 'svc-tts-1.5-flash' ? ' Write [pause 0.5s] for silence, 0.1 to 10.0 seconds.' : ''
  return `Speaks a text aloud and returns a reference to the audio. At most ${maxCharacters} characters a call.${pauses}`
}

interface SpeakArguments {
  readonly text: string
  readonly voice?: unknown
}

async function speak(
  { text, voice }: SpeakArguments,
  scope: RunScope,
  budget: Budget,
): Promise<OperationResult<SpeakArtifact>> {
  const { options, client, aigc_metadata } = scope
  if (text.trim() === '') throw invalidArguments({ usage: SPEAK_USAGE })
  const input = spokenText(text, options, text.length)
  const voice_id = typeof voice === 'string' ? namedVoice(options, voice) : scope.voice_id
  // WAV: every transcription accepts it, and its length can be measured.
  const body = { model: options.model, input, voice_id, response_format: 'wav' } as const
  const named = typeof voice === 'string' ? [voice_id] : []
  return withNamedVoices(options, named, () =>
    storeSpeech(scope, budget, text.length, () =>
      client.speech.create(aigc_metadata === undefined ? body : { ...body, aigc_metadata }, scope.call),
    ),
  )
}

/** Arguments of `speak_dialogue`. */
export type SpeakDialogueSchema = z.ZodObject<{
  /** The lines in speaking order, at least one. */
  lines: z.ZodArray<
    z.ZodObject<{
      /** Name of a voice. */
      voice: z.ZodString
      /** What this voice says. */
      text: z.ZodString
    }>
  >
}>

const DIALOGUE_USAGE = 'Give "lines", a non-empty array of { "voice", "text" } in speaking order.'

/** A dialogue of several voices as one audio in the store (interface: `POST /v1/audio/speech/speakers`). */
export function speakDialogueOperation(
  options: ResolvedOptions,
  budget: Budget,
): SpeechOperation<SpeakDialogueSchema, SpeakArtifact> {
  const line = z.object({ voice: voiceField(options), text: z.string().describe('What this voice says.') })
  return defineOperation(options, {
    tool: 'speak_dialogue',
    title: 'Speak a dialogue',
    description: `Speaks a dialogue of several voices and returns a reference to one audio. At most ${options.maxCharacters} characters a call.`,
    schema: z.object({ lines: z.array(line).describe('The lines in speaking order.') }),
    usage: DIALOGUE_USAGE,
    readOnly: false,
    run: (args, scope) => speakDialogue(args.lines, scope, budget),
  })
}

async function speakDialogue(
  lines: readonly { readonly voice: string; readonly text: string }[],
  scope: RunScope,
  budget: Budget,
): Promise<OperationResult<SpeakArtifact>> {
  const { options, client, aigc_metadata } = scope
  if (lines.length === 0) throw invalidArguments({ usage: DIALOGUE_USAGE })
  let characters = 0
  for (const { text } of lines) characters += text.length
  const segments = lines.map(({ voice, text }) => ({
    speaker: namedVoice(options, voice),
    text: spokenText(text, options, characters),
  }))
  const ids = [...new Set(segments.map(({ speaker }) => speaker))]
  const speakers = ids.map((id) => ({ id, voice_id: id }))
  const body = { model: options.dialogueModel, speakers, segments, response_format: 'wav' } as const
  return withNamedVoices(options, ids, () =>
    storeSpeech(scope, budget, characters, () =>
      client.dialogue.create(aigc_metadata === undefined ? body : { ...body, aigc_metadata }, scope.call),
    ),
  )
}

/** Arguments of `design_voice`. */
export type DesignVoiceSchema = z.ZodObject<{
  /** What the voice is like: age, emotion, style, speaking rate. */
  instruction: z.ZodString
  /** The words to speak. */
  text: z.ZodString
}>

const DESIGN_USAGE = 'Give "instruction", what the voice is like, and "text", the words to speak with it.'

/** A sample of a voice that is described in words (interface: `POST /v1/audio/voice/generations`). */
export function designVoiceOperation(
  options: ResolvedOptions,
  budget: Budget,
): SpeechOperation<DesignVoiceSchema, SpeakArtifact> {
  return defineOperation(options, {
    tool: 'design_voice',
    title: 'Design a voice',
    description:
      'Speaks a text in a new voice that is described in words, and returns a reference to the audio. It gives a sample, not a voice to use again.',
    schema: z.object({
      instruction: z.string().describe('The voice: age, emotion, style, speaking rate and so on.'),
      text: z.string().describe('The words to speak.'),
    }),
    usage: DESIGN_USAGE,
    readOnly: false,
    run: (args, scope) => designVoice(args, scope, budget),
  })
}

async function designVoice(
  { instruction, text }: { readonly instruction: string; readonly text: string },
  scope: RunScope,
  budget: Budget,
): Promise<OperationResult<SpeakArtifact>> {
  const { options, client } = scope
  if (instruction.trim() === '' || text.trim() === '') throw invalidArguments({ usage: DESIGN_USAGE })
  const characters = instruction.length + text.length
  const input = spokenText(text, options, characters)
  const body = { model: options.voiceModel, input, instruction, response_format: 'wav' } as const
  return storeSpeech(scope, budget, characters, () => client.voiceGenerations.create(body, scope.call))
}

/**
 * The text as it is spoken.
 * @param characters Length of everything that the call speaks.
 * @throws SpeechToolError `text_too_long` or `invalid_text`
 */
function spokenText(text: string, { maxCharacters, speakable: strips }: ResolvedOptions, characters: number): string {
  // The length first: nothing else looks at a text of ten million characters.
  if (characters > maxCharacters) {
    const message = `The text has ${characters} characters; at most ${maxCharacters} are spoken in one call. Split it.`
    throw new SpeechToolError('text_too_long', message)
  }
  const spoken = strips ? speakable(text) : text
  if (/[\p{L}\p{N}]/u.test(spoken) || /\[pause /.test(spoken)) return spoken
  const message = 'The text has no words that can be spoken, only markup, code, emoji or signs. Write words.'
  throw new SpeechToolError('invalid_text', message)
}

/** Bytes between two reports of progress. */
const PROGRESS_BYTES = 256 * 1024

/**
 * Asks the service for speech and streams it into the store. A store that is not ready is noticed before the request.
 * @throws the request's own error if it fails, else `store_failed` if the store does
 */
async function storeSpeech(
  scope: RunScope,
  budget: Budget,
  characters: number,
  request: () => Promise<AudioBody>,
): Promise<OperationResult<SpeakArtifact>> {
  const { store } = scope.options
  await store.ready?.(scope.access).catch((error: unknown) => {
    scope.signal?.throwIfAborted()
    throw storeFailed(error)
  })
  const speech = await budget.spend(scope, characters, request)
  const artifact = { ...(await put(scope, speech)), spent: budget.spentBy(scope) }
  const { durationSeconds, id } = artifact
  const length = durationSeconds === undefined ? '' : `: ${durationSeconds.toFixed(1)} seconds of audio`
  return { content: `Spoken${length}. Reference: ${id}`, artifact }
}

async function put({ options, access, progress }: RunScope, speech: AudioBody): Promise<Omit<SpeakArtifact, 'spent'>> {
  const passing = new PassingSpeech(speech, progress)
  let stored: StoredAudio
  try {
    stored = await options.store.put(passing, { ...access, contentType: speech.contentType })
  } catch (error) {
    throw passing.failure ?? storeFailed(error)
  } finally {
    // A store that stopped early leaves the rest unread.
    speech.cancel()
  }
  if (!passing.ended)
    throw storeFailed(new Error('The AudioStore returned before it had read all audio. Read it to the end in put()'))
  if (!isAudioId(stored.id))
    throw storeFailed(
      new Error('The AudioStore returned an invalid id. Return 1 to 200 letters, digits, dots, underscores or hyphens'),
    )
  const { id, url, contentType } = stored
  const { bytes, durationSeconds } = passing
  return {
    type: 'audio',
    id,
    ...(url === undefined ? {} : { url }),
    contentType,
    ...(durationSeconds === undefined ? {} : { durationSeconds }),
    bytes,
    ...(speech.requestId === undefined ? {} : { requestId: speech.requestId }),
  }
}

/** Speech on its way into a store. */
class PassingSpeech implements AsyncIterable<Uint8Array> {
  bytes = 0
  /** Whether it was read to its end. */
  ended = false
  /** Why the speech itself failed, so that it is not taken for a failure of the store. */
  failure: unknown
  readonly #speech: AudioBody
  readonly #progress: RunScope['progress']
  readonly #meter = new WavMeter()
  #reported = 0

  constructor(speech: AudioBody, progress: RunScope['progress']) {
    this.#speech = speech
    this.#progress = progress
  }

  get durationSeconds(): number | undefined {
    return this.#meter.durationSeconds
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for await (const chunk of this.#speech) {
        this.#count(chunk)
        yield chunk
      }
      if (this.bytes === 0) throw new ProtocolError('The service answered with no audio')
      this.#progress('receiving', this.bytes, this.bytes)
      this.ended = true
    } catch (error) {
      this.failure = error
      throw error
    }
  }

  #count(chunk: Uint8Array): void {
    this.bytes += chunk.byteLength
    this.#meter.add(chunk)
    if (this.bytes - this.#reported < PROGRESS_BYTES) return
    this.#reported = this.bytes
    this.#progress('receiving', this.bytes, this.#speech.contentLength)
  }
}
