import { existsSync, readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import {
  FAMILIES,
  type Family,
  isSpeakerFamily,
  isSpeechFamily,
  RECOGNITION_FAMILIES,
  SPEAKER_FAMILIES,
  SPEECH_FAMILIES,
} from './families.ts'
import { findFiles, innerFolder, MissingFilesError, type ModelFiles, visibleNames } from './model-files.ts'
import { type GraphFacts, readGraph } from './onnx-file.ts'
import type { ModelVoice } from './options.ts'

/** What a folder holds, as its files say. */
export type ModelDescription =
  | {
      /** It speaks, hears, or tells speakers from each other. */
      readonly use: 'engine'
      /** Kind of the model, as sherpa-onnx names it. */
      readonly family: Family
      /** Voices of a voice model: every speaker, up to {@link MAX_VOICES}. */
      readonly voices?: readonly ModelVoice[]
      /** Number of the speakers of a voice model. */
      readonly speakers?: number
      /** Languages of a recognizer. @default the files do not tell */
      readonly languages?: readonly string[]
    }
  | {
      /** The key of another engine that uses it. */
      readonly use: 'vad' | 'punctuation'
    }

/** Most voices of a description: some models have hundreds. */
export const MAX_VOICES = 12

/**
 * Says what a model is, by its files and their metadata.
 * @throws MissingFilesError when they fit no family, with what the nearest one lacks
 */
export function describeModel(folder: string): ModelDescription {
  const place = innerFolder(folder)
  const names = visibleNames(place)
  const graphs = names.filter((name) => name.endsWith('.onnx'))
  const facts = new Map(graphs.map((name) => [name, readGraph(join(place, name))]))
  const helper = helperOf(names, [...facts.values()])
  if (helper !== undefined) return { use: helper }
  const { family, files } = familyOf(place, facts)
  if (isSpeakerFamily(family)) return { use: 'engine', family }
  const metadata = metadataOf(files, facts)
  if (!isSpeechFamily(family)) {
    const languages = languagesOf(metadata) ?? languagesOfName(basename(folder))
    return { use: 'engine', family, ...(languages !== undefined && { languages }) }
  }
  const voices = voicesOf(place, family, files, metadata)
  return { use: 'engine', family, voices: voices.slice(0, MAX_VOICES), speakers: voices.length }
}

/** A model that finds speech or writes punctuation. */
function helperOf(names: readonly string[], graphs: readonly GraphFacts[]): 'vad' | 'punctuation' | undefined {
  const [only, second] = graphs
  if (only === undefined) return undefined
  const { metadata, inputs } = only
  if (names.includes('bpe.vocab') || metadata['punctuations'] !== undefined) return 'punctuation'
  if (second !== undefined && names.some((name) => name.endsWith('.txt'))) return undefined
  const isVad = /^(?:silero|ten)-vad/.test(metadata['model_type'] ?? '') || inputs.includes('sr')
  return isVad ? 'vad' : undefined
}

const ALL_FAMILIES: readonly Family[] = [...SPEECH_FAMILIES, ...RECOGNITION_FAMILIES, ...SPEAKER_FAMILIES]

function familyOf(
  place: string,
  graphs: ReadonlyMap<string, GraphFacts>,
): { readonly family: Family; readonly files: ModelFiles } {
  const order = Object.keys(FAMILIES)
  const families = ALL_FAMILIES.toSorted((a, b) => order.indexOf(a) - order.indexOf(b))
  for (const family of families) {
    try {
      const files = findFiles(place, family)
      if (fits(family, files, graphs)) return { family, files }
    } catch (error) {
      if (!(error instanceof MissingFilesError)) throw error
    }
  }
  const names = [...graphs.keys()].join(', ') || 'no file *.onnx'
  throw new MissingFilesError(`The files of ${place} fit no family of models: it has ${names}`)
}

function fits(family: Family, files: ModelFiles, graphs: ReadonlyMap<string, GraphFacts>): boolean {
  const { metadata: wanted } = FAMILIES[family]
  if (wanted === undefined) return true
  const found = metadataOf(files, graphs)
  return Object.entries(wanted).every(([key, pattern]) => found[key] !== undefined && pattern.test(found[key]))
}

/** The metadata of a model's graphs: that of the first graph counts. */
function metadataOf(files: ModelFiles, graphs: ReadonlyMap<string, GraphFacts>): Readonly<Record<string, string>> {
  const found = Object.values(files).map((path) => Object.entries(graphs.get(basename(path))?.metadata ?? {}))
  return Object.fromEntries(found.toReversed().flat())
}

/** Languages that the metadata of a recognizer tells. */
function languagesOf(metadata: Readonly<Record<string, string>>): readonly string[] | undefined {
  if (metadata['is_multilingual'] === '0') return ['en']
  const marks = Object.keys(metadata).flatMap((key) => /^lang_(?<tag>[a-z]{2,3})$/.exec(key)?.groups?.['tag'] ?? [])
  return marks.length > 0 ? marks : undefined
}

/** Languages that published models have in their names. Their graphs do not tell any. */
const NAMED_LANGUAGES: ReadonlySet<string> = new Set(
  'ar de en es fr hi it ja ko nl pl pt ru sv th tr uk vi yue zh'.split(' '),
)

function languagesOfName(name: string): readonly string[] | undefined {
  const found = name.split(/[-_.]/).filter((part) => NAMED_LANGUAGES.has(part))
  return found.length > 0 ? [...new Set(found)] : undefined
}

function voicesOf(
  place: string,
  family: Family,
  files: ModelFiles,
  metadata: Readonly<Record<string, string>>,
): readonly ModelVoice[] {
  const { reference } = FAMILIES[family]
  if (reference !== undefined) return recordings(place, reference === 'sound and text')
  const language = languageOf(metadata)
  const names = speakersOf(files, metadata)
  if (names.length > 0) {
    return names.map((id, speaker) => {
      const { language: own = language, gender } = traitsOf(id)
      return Object.assign({ id, language: own }, speaker > 0 && { speaker }, gender && { gender })
    })
  }
  const model = basename(files['model'] ?? files['acousticModel'] ?? place).replace(/\.onnx$/, '')
  return [{ id: nameOf(model), language }]
}

/** Names of the speakers, in the order of their numbers. None for a model of one speaker. */
function speakersOf(files: ModelFiles, metadata: Readonly<Record<string, string>>): readonly string[] {
  const listed = metadata['speaker_names']?.split(',').map((name) => idOf(name))
  if (listed !== undefined) return listed
  const count = Number(metadata['n_speakers'] ?? 1)
  if (!(count > 1)) return []
  const numbered = Object.entries(piperConfig(files)?.speaker_id_map ?? {})
  const names = new Map(numbered.map(([name, number]) => [number, idOf(name)]))
  const model = nameOf(basename(files['model'] ?? '').replace(/\.onnx$/, ''))
  return Array.from({ length: count }, (_, speaker) => names.get(speaker) ?? `${model}-${speaker}`)
}

/** The part of Piper's description of a voice that is read. */
interface PiperConfig {
  readonly speaker_id_map?: Readonly<Record<string, number>>
}

function piperConfig(files: ModelFiles): PiperConfig | undefined {
  const path = `${files['model']}.json`
  if (!existsSync(path)) return undefined
  try {
    const read: unknown = JSON.parse(readFileSync(path, 'utf8'))
    const map: unknown = typeof read === 'object' && read !== null ? Reflect.get(read, 'speaker_id_map') : undefined
    if (typeof map !== 'object' || map === null) return undefined
    const numbers = Object.entries(map).filter((entry): entry is [string, number] => typeof entry[1] === 'number')
    return { speaker_id_map: Object.fromEntries(numbers) }
  } catch {
    return undefined
  }
}

/** The name of a voice in the name of its file: `joe` in `en_US-joe-medium`. */
function nameOf(model: string): string {
  const name = /^[a-z]{2,3}_[A-Z]{2}-(?<name>.+?)(?:-(?:x_low|low|medium|high))?(?:[.-](?:int8|fp16))?$/.exec(model)
  return idOf(name?.groups?.['name'] ?? model)
}

/** A name as an id of a voice. */
function idOf(name: string): string {
  return name.replaceAll(/[^\w.-]+/g, '-').slice(0, 100) || 'voice'
}

/** Languages of Kokoro's voices, by the first letter of their names. The second one is their gender. */
const KOKORO: Readonly<Record<string, string>> = {
  a: 'en',
  b: 'en',
  e: 'es',
  f: 'fr',
  h: 'hi',
  i: 'it',
  j: 'ja',
  p: 'pt',
  z: 'zh',
}

function traitsOf(id: string): Partial<Pick<ModelVoice, 'language' | 'gender'>> {
  const [, first = '', gender] = /^(?<language>[a-z])(?<gender>[fm])_/.exec(id) ?? []
  const language = KOKORO[first]
  if (language === undefined) return {}
  return { language, gender: gender === 'f' ? 'female' : 'male' }
}

/** The language of a voice as a tag: sherpa-onnx has the name of espeak-ng's voice, or the name of the language. */
function languageOf({ voice = '', language = '' }: Readonly<Record<string, string>>): string {
  const [tag] = /^[a-z]{2,3}(?![a-z])/.exec(voice) ?? []
  return tag ?? tagOf(language) ?? 'en'
}

/** The tag of a language by its English name. */
function tagOf(name: string): string | undefined {
  const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
  const letters = Array.from('abcdefghijklmnopqrstuvwxyz')
  return letters.flatMap((a) => letters.map((b) => a + b)).find((tag) => names.of(tag) === name)
}

/** The recordings that come with a model that speaks like a recording. */
function recordings(place: string, withText: boolean): readonly ModelVoice[] {
  const folder = join(place, 'test_wavs')
  const names = existsSync(folder) ? visibleNames(folder).filter((name) => name.endsWith('.wav')) : []
  const paths = [
    ...names.map((name) => join(folder, name)),
    ...visibleNames(place)
      .filter((name) => name.endsWith('.wav'))
      .map((name) => join(place, name)),
  ]
  return paths.map((path) => {
    const text = path.replace(/\.wav$/, '.txt')
    const said = existsSync(text) ? readFileSync(text, 'utf8').trim() : 'write here what the recording says'
    const voice = { id: idOf(basename(path, '.wav')), language: 'en', reference: relative(place, path) }
    return Object.assign(voice, withText && { referenceText: said })
  })
}
