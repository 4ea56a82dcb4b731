import {
  atOnce,
  EngineClosedError,
  EngineFailedError,
  type EngineVoice,
  type SpeechDriver,
  type SpeechEngine,
  type Synthesis,
  type SynthesisOptions,
  type SynthesisRequest,
  UnspeakableTextError,
} from '@svc-audio/engine-ports'
import { cancellable } from '@svc-audio/engine-ports/driver'
import { begun, planSpeech, renderNatural, speechLength, type SpeechStep } from '@svc-audio/engine-ports/speech'
import { type ProgramVoice, readVoiceList, VoiceChoice } from './voices.ts'
import { readSound, runEspeak, toSpeakable } from './run-espeak.ts'

/** Estimated processor time of one character, in milliseconds. */
const COST = 0.15

/** Options of {@link createEspeakEngine}. */
export interface EspeakOptions {
  /** Name of the engine. @default 'espeak-ng' */
  readonly name?: string | undefined
  /** Name of the program on PATH, or its path. @default 'espeak-ng' */
  readonly program?: string | undefined
  /** Start of the public voice ids. The voice that chooses by the text has the prefix without its last sign. @default 'espeak-' */
  readonly idPrefix?: string | undefined
  /** Only voices of these languages, as BCP 47 tags. @default every language of the program */
  readonly languages?: readonly string[] | undefined
  /** A variant of the program that changes every voice, e.g. `f3` for a female voice. @default none */
  readonly variant?: string | undefined
  /** Aborts the creation of the engine. */
  readonly signal?: AbortSignal | undefined
}

/** Options with their defaults. */
interface Settings extends Pick<EspeakOptions, 'languages' | 'variant'> {
  readonly name: string
  readonly program: string
  readonly idPrefix: string
}

function settingsOf(options: EspeakOptions): Settings {
  const { name = 'espeak-ng', program = 'espeak-ng', idPrefix = 'espeak-', languages, variant } = options
  return { name, program, idPrefix, languages, variant }
}

/**
 * The voice that reads each sentence with the voice of its language or script.
 * @param languages Primary tags of all voices. @default those of the options
 */
export function automaticVoice(
  options: EspeakOptions,
  languages: readonly string[] = (options.languages ?? ['en']).map((tag) => tag.toLowerCase().replace(/-.*/, '')),
): EngineVoice {
  const { idPrefix } = settingsOf(options)
  const [first = 'en'] = languages
  return {
    id: idPrefix.replace(/[-_.]$/, ''),
    name: 'eSpeak, in the language of the text',
    language: languages.includes('en') ? 'en' : first,
    languages,
    description: 'Robotic, from rules: for languages that no other voice speaks.',
  }
}

/**
 * Makes a speech engine of the program espeak-ng. Each sentence is spoken by a process of its own, which gets the text
 * by standard input.
 * @throws EngineFailedError when the program is missing or fails; the signal's reason when it aborts.
 */
export async function createEspeakEngine(options: EspeakOptions = {}): Promise<SpeechEngine> {
  const settings = settingsOf(options)
  const { signal = new AbortController().signal } = options
  const voices = await listVoices(settings, signal)
  const [first] = voices
  if (first === undefined) {
    const wanted = settings.languages === undefined ? '' : ` of ${settings.languages.join(', ')}`
    throw new EngineFailedError(`${settings.program} lists no voice${wanted}: check \`languages\``)
  }
  const word = await speak(settings, { voice: first, text: 'a', signal, background: false })
  return new EspeakEngine(settings, voices, word.sampleRate)
}

/** Makes a driver that lists every voice of the program before its engine works. */
export async function createEspeakDriver(options: EspeakOptions = {}): Promise<SpeechDriver> {
  const engine = await createEspeakEngine(options)
  await engine.close()
  const { name, voices } = engine
  return { name, voices, create: ({ signal }) => createEspeakEngine({ ...options, signal }) }
}

async function listVoices({ program, idPrefix, languages }: Settings, signal: AbortSignal): Promise<ProgramVoice[]> {
  const table = await runEspeak({ program, args: ['--voices'], signal })
  return readVoiceList(table.toString('utf8'), { idPrefix, languages })
}

/** A sentence to speak. */
interface Sentence {
  readonly voice: ProgramVoice
  readonly text: string
  readonly signal: AbortSignal
  readonly background: boolean
}

async function speak({ program, variant }: Settings, { voice, text, ...run }: Sentence) {
  const name = variant === undefined ? voice.file : `${voice.file}+${variant}`
  const args = ['-v', name, '-b', '1', '-z', '--stdin', '--stdout']
  return readSound(await runEspeak({ program, args, input: text, ...run }))
}

class EspeakEngine implements SpeechEngine {
  readonly name: string
  readonly voices: readonly EngineVoice[]
  readonly #settings: Settings
  readonly #own: ReadonlyMap<string, ProgramVoice>
  readonly #choice: VoiceChoice
  readonly #automatic: string
  readonly #sampleRate: number
  readonly #closing = new AbortController()

  constructor(settings: Settings, own: readonly ProgramVoice[], sampleRate: number) {
    const languages = [...new Set(own.flatMap((voice) => voice.languages))]
    const automatic = automaticVoice(settings, languages)
    this.name = settings.name
    this.voices = [automatic, ...own.map(publicVoice)]
    this.#settings = settings
    this.#own = new Map(own.map((voice) => [voice.id, voice]))
    this.#choice = new VoiceChoice(own)
    this.#automatic = automatic.id
    this.#sampleRate = sampleRate
  }

  async synthesize(request: SynthesisRequest, { signal, turns = atOnce }: SynthesisOptions = {}): Promise<Synthesis> {
    this.#closing.signal.throwIfAborted()
    signal?.throwIfAborted()
    const { text, voiceId, manner, pauses = false } = request
    const voice = this.#own.get(voiceId)
    if (voice === undefined && voiceId !== this.#automatic)
      throw new RangeError(`espeak-ng has no voice ${JSON.stringify(voiceId)}`)
    if (manner !== undefined) throw new RangeError(`The voice ${voiceId} cannot be changed`)
    const length = speechLength(request)
    const { language } = request
    const texts = this.#textsOf(planSpeech(text, pauses, toSpeakable))
    const main = voice ?? this.#choice.forText(texts, language)
    if (!this.#choice.reads(main, texts)) throw this.#choice.unreadable(main, texts)
    const steps = planSpeech(text, pauses, toSpeakable, main.language)
    const chunks = cancellable(
      [signal, this.#closing.signal],
      (stop) =>
        // The program follows a speed inexactly, and none below a half.
        renderNatural(
          steps,
          (sentence) =>
            begun(
              turns(sentence.length * COST, stop, ({ background }) => {
                const its = voice ?? this.#voiceOf(sentence, language, main)
                return this.#speak({ voice: its, text: sentence, signal: stop, background })
              }),
            ),
          { sampleRate: this.#sampleRate, length },
        ),
      { once: true },
    )
    return { format: { sampleRate: this.#sampleRate, channels: 1, bitDepth: 16 }, chunks }
  }

  async close(): Promise<void> {
    this.#closing.abort(new EngineClosedError('espeak-ng'))
  }

  #voiceOf(sentence: string, language: string | undefined, main: ProgramVoice): ProgramVoice {
    try {
      return this.#choice.forText(sentence, language)
    } catch (error) {
      // The rest of the text is spoken, so this sentence is too: by the names of its letters.
      if (error instanceof UnspeakableTextError) return main
      throw error
    }
  }

  /** The text to speak without its pauses. @throws UnspeakableTextError when nothing would be heard */
  #textsOf(steps: readonly SpeechStep[]): string {
    if (steps.length === 0) throw new UnspeakableTextError('The input has no letters or digits to speak')
    return steps.flatMap((step) => (step.type === 'speech' ? [step.text] : [])).join(' ')
  }

  async #speak(sentence: Sentence): Promise<Uint8Array> {
    const { pcm, sampleRate } = await speak(this.#settings, sentence)
    if (sampleRate === this.#sampleRate) return pcm
    throw new EngineFailedError(
      `The voice ${sentence.voice.id} speaks at ${sampleRate} Hz, the others at ${this.#sampleRate} Hz: leave its language out of \`languages\``,
    )
  }
}

function publicVoice({ id, name, language, languages, gender, description }: ProgramVoice): EngineVoice {
  return { id, name, language, languages, gender, description }
}
