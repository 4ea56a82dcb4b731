import {
  atOnce,
  EngineClosedError,
  EngineFailedError,
  EngineRefusedError,
  type EngineVoice,
  SPEECH_COST,
  type SpeechDriver,
  type SpeechEngine,
  type Synthesis,
  type SynthesisOptions,
  type SynthesisRequest,
  UnspeakableTextError,
} from '@svc-audio/engine-ports'
import { cancellable } from '@svc-audio/engine-ports/driver'
import { renderNatural } from '@svc-audio/engine-ports/speech'
import { z } from 'zod'
import { checkRate, readAudio, toldRate } from './audio-reader.ts'
import type { SpeechKeys } from './keys.ts'
import { planRequests, Sentence } from './plan-requests.ts'
import { jsonBody, readJson, unexpectedContent, type Upstream } from './upstream.ts'

/** Most speech of a character, in seconds, and of any sentence. A response beyond them never ends. */
const CHARACTER_SECONDS = 1
const SENTENCE_SECONDS = 60

/** Makes the speech driver of an entry. */
export function speechDriver(name: string, keys: SpeechKeys, upstream: Upstream): SpeechDriver {
  const named = keys.voices?.map(({ id, voice: _voice, name: called = id, ...about }): EngineVoice => {
    return { id, name: called, ...about }
  })
  return {
    name,
    voices: named ?? [],
    async create({ signal }) {
      const voices = named ?? (await listVoices(name, upstream, { language: keys.voiceLanguage, signal }))
      return new UpstreamSpeech(name, voices, keys, upstream)
    },
  }
}

class UpstreamSpeech implements SpeechEngine {
  readonly name: string
  readonly voices: readonly EngineVoice[]
  readonly #keys: SpeechKeys
  readonly #upstream: Upstream
  readonly #closing = new AbortController()

  constructor(name: string, voices: readonly EngineVoice[], keys: SpeechKeys, upstream: Upstream) {
    this.name = name
    this.voices = voices
    this.#keys = keys
    this.#upstream = upstream
  }

  async synthesize(request: SynthesisRequest, options: SynthesisOptions = {}): Promise<Synthesis> {
    this.#closing.signal.throwIfAborted()
    const { voiceId, speed = 1, expectedDurationSeconds } = request
    if (!this.voices.some(({ id }) => id === voiceId)) throw new RangeError(`${this.name} has no such voice`)
    if (request.manner !== undefined) throw new RangeError(`Voices of ${this.name} cannot be changed`)
    options.signal?.throwIfAborted()
    const steps = planRequests(request.text, request.pauses ?? false)
    if (steps.length === 0) throw new UnspeakableTextError('The input has no letters and no digits')
    const { sampleRate, ahead, speed: changes } = this.#keys
    const isOurs = changes === 'service' || expectedDurationSeconds !== undefined
    const length =
      expectedDurationSeconds === undefined
        ? { speed: isOurs ? speed : 1 }
        : { expectedSeconds: expectedDurationSeconds }
    const chunks = cancellable(
      [options.signal, this.#closing.signal],
      (stop) => {
        const speak = (text: string): Sentence =>
          this.#speak(text, { voiceId, speed: isOurs ? undefined : speed }, { ...options, signal: stop })
        return renderNatural(steps, speak, { sampleRate, ahead, length })
      },
      { once: true },
    )
    return { format: { sampleRate, channels: 1, bitDepth: 16 }, chunks }
  }

  async close(): Promise<void> {
    this.#closing.abort(new EngineClosedError(this.name))
  }

  /** Requests a sentence in its turn. The turn ends with the response, however slow the reader is. */
  #speak(
    text: string,
    how: { readonly voiceId: string; readonly speed: number | undefined },
    { turns = atOnce, signal }: SynthesisOptions & { readonly signal: AbortSignal },
  ): Sentence {
    const sentence = new Sentence()
    turns(text.length * SPEECH_COST, signal, async () => this.#receive(sentence, text, how, signal)).then(
      () => sentence.end(),
      (error: unknown) => sentence.end(error),
    )
    return sentence
  }

  async #receive(
    sentence: Sentence,
    text: string,
    { voiceId, speed }: { readonly voiceId: string; readonly speed: number | undefined },
    signal: AbortSignal,
  ): Promise<void> {
    const { model, voices, format, sampleRate, extra } = this.#keys
    const voice = voices?.find(({ id }) => id === voiceId)?.voice ?? voiceId
    const body = jsonBody({
      ...extra,
      model,
      input: text,
      voice,
      response_format: format,
      ...(speed === undefined || speed === 1 ? {} : { speed }),
    })
    const response = await this.#upstream.send({ method: 'POST', path: '/audio/speech', body, signal, texts: [text] })
    try {
      const type = response.headers['content-type'] ?? ''
      if (/^(?:text|application\/json)/i.test(type)) throw unexpectedContent(this.name, response, 'audio')
      const told = toldRate(response.headers)
      if (told !== undefined) checkRate(told, { name: this.name, sampleRate })
      const max = 2 * sampleRate * (SENTENCE_SECONDS + CHARACTER_SECONDS * text.length)
      let bytes = 0
      for await (const chunk of readAudio(response.body, { name: this.name, format, sampleRate })) {
        bytes += chunk.length
        if (bytes > max) throw new EngineFailedError(`${this.name} does not end its response to a sentence`)
        // The transport may use the memory of a chunk again.
        sentence.push(new Uint8Array(chunk))
      }
    } catch (error) {
      response.body.cancel()
      signal.throwIfAborted()
      throw this.#upstream.explain(error)
    }
  }
}

/** The lists of servers: objects or plain strings, in an object or bare. OpenAI itself has none. */
const Listed = z.union([
  z.string().transform((id) => ({ id, name: id, language: undefined })),
  z
    .object({ id: z.string(), name: z.string().optional(), language: z.string().optional() })
    .transform(({ id, name = id, language }) => ({ id, name, language })),
  z
    .object({ voice_id: z.string(), name: z.string().optional(), language: z.string().optional() })
    .transform(({ voice_id: id, name = id, language }) => ({ id, name, language })),
])
const VoicesResponse = z.union([
  z.object({ voices: z.array(Listed) }),
  z.object({ data: z.array(Listed) }).transform(({ data }) => ({ voices: data })),
  z.array(Listed).transform((voices) => ({ voices })),
])

/** Reads the voices that a server lists. @throws EngineFailedError with the remedy */
async function listVoices(
  name: string,
  upstream: Upstream,
  { language, signal }: { readonly language: string; readonly signal: AbortSignal },
): Promise<EngineVoice[]> {
  const listed = await readList(name, upstream, signal)
  const parsed = VoicesResponse.safeParse(listed)
  if (!parsed.success || parsed.data.voices.length === 0) {
    throw new EngineFailedError(`${name} lists no voices: name them under speech.voices`)
  }
  return parsed.data.voices.map(({ id, name: called, language: own }) => ({
    id,
    name: called,
    language: /^[a-z]{2,3}(?=$|[-_])/.exec(own?.toLowerCase() ?? '')?.[0] ?? language,
  }))
}

/** Few servers have this route: the API of OpenAI has none. */
async function readList(name: string, upstream: Upstream, signal: AbortSignal): Promise<unknown> {
  try {
    return await readJson(name, await upstream.send({ method: 'GET', path: '/audio/voices', signal }))
  } catch (error) {
    if (!(error instanceof EngineRefusedError)) throw error
    const message = `${name} has no list of voices (${error.status}): name its voices under speech.voices`
    throw new EngineFailedError(message, { cause: error })
  }
}
