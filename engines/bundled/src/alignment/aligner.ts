import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { EngineFailedError } from '@svc-audio/engine-ports'
import { compileWasm } from '@svc-audio/engine-ports/driver'
import type { PocketSphinxFiles } from '@svc-audio/pocketsphinx-en'
import { ditherSilence } from './dither.ts'
import {
  type NativeRecognizer,
  type NativeResult,
  type NativeSegment,
  type NativeVector,
  type PocketSphinxModule,
  type RunningModule,
  startModule,
} from './emscripten.ts'
import { spokenWords, type SpokenWord } from './spoken-words.ts'

/** What an aligner is made of. */
export interface AlignerParts {
  /** Paths of the module, its JavaScript and the model: `pocketSphinxFiles` of `@svc-audio/pocketsphinx-en`. */
  readonly files: PocketSphinxFiles
  /** Size of the module's memory, in bytes: its `MEMORY_BYTES`. */
  readonly memoryBytes: number
}

/** Options of {@link Aligner.align}. */
export interface AlignOptions {
  /** Returns the phones of a word that the dictionary lacks; none when it has no sound. */
  readonly pronounce: (word: string) => readonly string[]
  /** Called several times per second of sound. It throws to abort. */
  readonly pause: () => Promise<void>
}

/** A word of a text and its time, in seconds from the start of the samples. */
export interface AlignedWord {
  /** The word, with the marks around it. */
  readonly word: string
  /** Start, in seconds. */
  readonly startSecond: number
  /** End, in seconds. */
  readonly endSecond: number
}

const FOLDER = '/model'

/** As in `@svc-audio/pocketsphinx-en`, which is optional. */
const DICTIONARY = 'words.dict'

/**
 * Beams are far wider than for recognition: the text is known, and a beam that loses it gives no time at all. The search
 * stays small, because nothing but the text is in it.
 */
const SETTINGS: readonly (readonly [name: string, value: string])[] = [
  ['-hmm', FOLDER],
  ['-dict', `${FOLDER}/${DICTIONARY}`],
  ['-samprate', '16000'],
  ['-beam', '1e-80'],
  ['-pbeam', '1e-80'],
  ['-wbeam', '1e-60'],
]

/** Samples in one call: a quarter of a second. Other work of the thread runs between the calls. */
const STEP_SAMPLES = 4000

/** Log lines stored for the message of an error. */
const KEPT_LINES = 5

/** PocketSphinx's unit of time: 10 ms. */
const FRAMES_PER_SECOND = 100

/** Sounds other than words: `<s>`, `<sil>`, `[NOISE]`, `++BREATH++`. */
const FILLER = /^(?:<.*>|\[.*\]|\+\+.*\+\+)$/

/**
 * Finds the times of the words of a known text in its sound, by PocketSphinx: its search has exactly the words of the text
 * and pauses between them. After an error other than that of `pause` its memory is not reliable: discard the aligner.
 */
export class Aligner {
  readonly #api: PocketSphinxModule
  readonly #memoryEnd: () => number
  readonly #image: Uint8Array<ArrayBuffer>
  readonly #recognizer: NativeRecognizer
  readonly #buffer: NativeVector<number>
  /** Phones of words that the dictionary lacks. */
  readonly #pronounced = new Map<string, string>()

  private constructor({ api, memoryEnd }: RunningModule, folder: string) {
    this.#api = api
    this.#memoryEnd = memoryEnd
    this.#recognizer = makeRecognizer(api, folder)
    this.#buffer = new api.AudioBuffer()
    this.#image = api.HEAPU8.slice(0, memoryEnd())
  }

  /**
   * Loads the acoustic model and the dictionary.
   * @throws EngineFailedError when PocketSphinx refuses them; its message has the last log lines.
   */
  static async load({ files, memoryBytes }: AlignerParts): Promise<Aligner> {
    const lines: string[] = []
    const log = (line: string): void => {
      if (!/ERROR|FATAL|abort/i.test(line)) return
      lines.push(line)
      if (lines.length > KEPT_LINES) lines.shift()
    }
    try {
      const glue = readFileSync(files.glue, 'utf8')
      const module = await compileWasm(readFileSync(files.wasm))
      return new Aligner(await startModule({ glue, module, memoryBytes, log }), files.model)
    } catch (error) {
      const reason = [String(error), ...lines].join(' | ')
      throw new EngineFailedError(`PocketSphinx cannot be loaded: ${reason}`, { cause: error })
    }
  }

  /**
   * Returns the time of each word of a text.
   * @param samples 16 kHz, mono. Digital silence in it becomes noise of one step.
   * @returns `undefined` when the sound does not fit the text.
   */
  async align(samples: Int16Array, text: string, options: AlignOptions): Promise<AlignedWord[] | undefined> {
    this.#reset()
    const words = spokenWords(text, (word) => this.#soundOf(word, options.pronounce))
    if (words === undefined) return undefined
    this.#addWords(words)
    this.#addGrammar(words.flatMap(({ sounds }) => sounds.map(({ name }) => name)))
    const segments = await this.#listen(samples, options.pause)
    return timesOf(words, segments)
  }

  /** Returns the name of a word in the dictionary, or the phones of a word that it lacks. */
  #soundOf(word: string, pronounce: AlignOptions['pronounce']): string | undefined {
    if (this.#recognizer.lookupWord(word) !== '') return ''
    const known = this.#pronounced.get(word)
    const phones = known ?? pronounce(word).join(' ')
    if (known === undefined) this.#pronounced.set(word, phones)
    return phones === '' ? undefined : phones
  }

  #addWords(words: readonly SpokenWord[]): void {
    const added = new this.#api.VectorWords()
    const names = new Set<string>()
    for (const { name, phones } of words.flatMap(({ sounds }) => sounds)) {
      if (phones === undefined || names.has(name)) continue
      names.add(name)
      added.push_back([name, phones])
    }
    if (names.size > 0) this.#check(this.#recognizer.addWords(added))
    added.delete()
  }

  #addGrammar(names: readonly string[]): void {
    const transitions = new this.#api.VectorTransitions()
    for (const [from, word] of names.entries()) transitions.push_back({ from, to: from + 1, word, logp: 0 })
    const ids = new this.#api.Integers()
    const grammar = { numStates: names.length + 1, start: 0, end: names.length, transitions }
    this.#check(this.#recognizer.addGrammar(ids, grammar))
    transitions.delete()
    ids.delete()
  }

  async #listen(samples: Int16Array, pause: () => Promise<void>): Promise<NativeSegment[]> {
    const heard = samples.slice()
    ditherSilence(heard)
    this.#check(this.#recognizer.start())
    for (let at = 0; at < heard.length; at += STEP_SAMPLES) {
      const part = heard.subarray(at, at + STEP_SAMPLES)
      this.#buffer.resize(part.length, 0)
      for (const [index, sample] of part.entries()) this.#buffer.set(index, sample)
      this.#check(this.#recognizer.process(this.#buffer))
      await pause()
    }
    this.#check(this.#recognizer.stop())
    const segments = new this.#api.Segmentation()
    this.#check(this.#recognizer.getHypseg(segments))
    const copy = Array.from({ length: segments.size() }, (_, index) => segments.get(index))
    segments.delete()
    return copy.filter(({ word }) => !FILLER.test(word))
  }

  /** Forgets the last text by restoring the memory to its state after loading. It would leak and adapt otherwise. */
  #reset(): void {
    const heap = this.#api.HEAPU8
    heap.fill(0, this.#image.length, this.#memoryEnd())
    heap.set(this.#image)
  }

  #check(result: NativeResult): void {
    if (result !== this.#api.ReturnType.SUCCESS) throw new EngineFailedError('PocketSphinx refused a call')
  }
}

/** Gives each word of the text the time from its first to its last sound. */
function timesOf(words: readonly SpokenWord[], segments: readonly NativeSegment[]): AlignedWord[] | undefined {
  const count = words.reduce((sum, { sounds }) => sum + sounds.length, 0)
  // A search that has not reached the end of the text gives the words before.
  if (segments.length !== count) return undefined
  const rest = [...segments]
  return words.map(({ word, sounds }) => {
    const its = rest.splice(0, sounds.length)
    return {
      word,
      startSecond: (its[0]?.start ?? 0) / FRAMES_PER_SECOND,
      endSecond: ((its.at(-1)?.end ?? 0) + 1) / FRAMES_PER_SECOND,
    }
  })
}

function makeRecognizer(api: PocketSphinxModule, folder: string): NativeRecognizer {
  api.FS_createPath('/', FOLDER.slice(1), true, true)
  const names = readdirSync(folder)
  for (const name of names) {
    api.FS_createDataFile(FOLDER, name, readFileSync(join(folder, name)), true, true, true)
  }
  const config = new api.Config()
  for (const setting of SETTINGS) config.push_back(setting)
  const recognizer = new api.Recognizer(config)
  config.delete()
  // The module's memory has their content.
  for (const name of names) api.FS_unlink(`${FOLDER}/${name}`)
  return recognizer
}
