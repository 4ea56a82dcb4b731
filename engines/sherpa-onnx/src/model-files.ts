import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'

/** Kinds of voices: the graph and the files of a model. */
export const SPEECH_FAMILIES = ['piper', 'vits', 'kokoro', 'matcha'] as const

/** Kinds of recognizers. */
export const RECOGNITION_FAMILIES = [
  'whisper',
  'moonshine',
  'transducer',
  'parakeet',
  'sense-voice',
  'zipformer-ctc',
  'nemo-ctc',
] as const

/** Kinds of models that tell speakers apart. */
export const SPEAKER_FAMILIES = ['speaker-embedding'] as const

/** A kind of voice. */
export type SpeechFamily = (typeof SPEECH_FAMILIES)[number]

/** A kind of recognizer. */
export type RecognitionFamily = (typeof RECOGNITION_FAMILIES)[number]

/** A kind of model that tells speakers apart. */
export type SpeakerFamily = (typeof SPEAKER_FAMILIES)[number]

/** A kind of model. */
export type Family = SpeechFamily | RecognitionFamily | SpeakerFamily

/** A file of a model. */
export interface FileRule {
  /** What its name matches. */
  readonly name: RegExp
  readonly isOptional?: boolean
  /** Whether every file that matches is meant, not one. */
  readonly isList?: boolean
}

const MODEL: FileRule = { name: /\.onnx$/ }
const TOKENS: FileRule = { name: /(?:^|[-_.])tokens\.txt$/ }
const LEXICON: FileRule = { name: /^lexicon.*\.txt$/, isOptional: true, isList: true }
const DATA: FileRule = { name: /^espeak-ng-data$/, isOptional: true }
const VITS = { model: MODEL, tokens: TOKENS, lexicon: LEXICON, dataDir: DATA }
const TRANSDUCER = {
  encoder: { name: /encoder.*\.onnx$/ },
  decoder: { name: /decoder.*\.onnx$/ },
  joiner: { name: /joiner.*\.onnx$/ },
  tokens: TOKENS,
}
const CTC = { model: MODEL, tokens: TOKENS }

/** The files of each family, by the role that they have for sherpa-onnx. */
export const FAMILY_FILES: Readonly<Record<Family, Readonly<Record<string, FileRule>>>> = {
  piper: { ...VITS, dataDir: { name: DATA.name } },
  vits: VITS,
  kokoro: { ...VITS, voices: { name: /voices\.bin$/ } },
  matcha: {
    acousticModel: { name: /^(?!vocos|hifigan).*\.onnx$/ },
    vocoder: { name: /^(?:vocos|hifigan).*\.onnx$/ },
    tokens: TOKENS,
    lexicon: LEXICON,
    dataDir: DATA,
  },
  whisper: { encoder: TRANSDUCER.encoder, decoder: TRANSDUCER.decoder, tokens: TOKENS },
  moonshine: {
    preprocessor: { name: /^preprocess.*\.onnx$/ },
    encoder: { name: /^encode.*\.onnx$/ },
    uncachedDecoder: { name: /^uncached_decode.*\.onnx$/ },
    cachedDecoder: { name: /^cached_decode.*\.onnx$/ },
    tokens: TOKENS,
  },
  transducer: TRANSDUCER,
  parakeet: TRANSDUCER,
  'sense-voice': CTC,
  'zipformer-ctc': CTC,
  'nemo-ctc': CTC,
  'speaker-embedding': { model: MODEL },
}

/** Families that know when each token was said. */
export const TIMED_FAMILIES: ReadonlySet<Family> = new Set([
  'transducer',
  'parakeet',
  'sense-voice',
  'zipformer-ctc',
  'nemo-ctc',
])

/** Whether a family speaks. */
export function isSpeechFamily(family: Family): family is SpeechFamily {
  return SPEECH_FAMILIES.some((one) => one === family)
}

/** Whether a family tells speakers apart. */
export function isSpeakerFamily(family: Family): family is SpeakerFamily {
  return SPEAKER_FAMILIES.some((one) => one === family)
}

/** The paths of a model's files, by their roles. */
export type ModelFiles = Readonly<Record<string, string>>

/** How a model stores its numbers: whole numbers of 8 bits are smaller and faster on most processors. */
export type Precision = 'int8' | 'float'

/** The files that a folder lacks. */
export class MissingFilesError extends Error {
  /** The class name: programs compare it. */
  override readonly name = 'MissingFilesError' as const
}

/**
 * Finds the files of a model in its folder, or in the only folder inside it, as archives have it.
 * @param precision Which file to take where a model has both. A model with one of them has that one.
 * @param given Files outside the folder, by their roles.
 * @throws MissingFilesError naming what the folder lacks
 */
export function findFiles(
  folder: string,
  family: Family,
  precision: Precision = 'int8',
  given: ModelFiles = {},
): ModelFiles {
  const rules = Object.entries(FAMILY_FILES[family]).filter(([role]) => given[role] === undefined)
  const place = innerFolder(folder)
  const names = readdirSync(place).toSorted()
  const missing: string[] = []
  const found = rules.flatMap(([role, rule]): [string, string][] => {
    const chosen = choose(names, rule, precision)
    if (chosen.length === 0 && rule.isOptional !== true) missing.push(`${role} (${rule.name.source})`)
    return chosen.length === 0 ? [] : [[role, chosen.map((name) => join(place, name)).join(',')]]
  })
  if (missing.length === 0) return { ...Object.fromEntries(found), ...given }
  throw new MissingFilesError(`${place} is no model of the family ${family}: it has no ${missing.join(', no ')}`)
}

/** What finds speech in a recording. */
export interface VadFile {
  /** The graph. */
  readonly model: string
  readonly kind: 'silero' | 'ten'
}

/**
 * Finds the model that finds speech: a file, or the only graph of a folder.
 * @throws MissingFilesError
 */
export function findVad(path: string): VadFile {
  const model = path.endsWith('.onnx') ? existing(path) : onlyFile(path, /\.onnx$/)
  return { model, kind: basename(model).startsWith('ten') ? 'ten' : 'silero' }
}

/** What writes punctuation. */
export interface PunctuationFiles {
  /** The graph. */
  readonly model: string
  /** Vocabulary of a CNN-BiLSTM. @default the model is a CT transformer, which has none */
  readonly vocabulary?: string | undefined
}

/**
 * Finds the files of a model that writes punctuation, in its folder.
 * @throws MissingFilesError
 */
export function findPunctuation(folder: string, precision: Precision = 'int8'): PunctuationFiles {
  const place = innerFolder(folder)
  const names = readdirSync(place).toSorted()
  const [model] = choose(names, { name: /\.onnx$/ }, precision)
  if (model === undefined) throw new MissingFilesError(`${place} has no model for punctuation: it has no file *.onnx`)
  const vocabulary = names.find((name) => name === 'bpe.vocab')
  return { model: join(place, model), vocabulary: vocabulary === undefined ? undefined : join(place, vocabulary) }
}

function onlyFile(folder: string, pattern: RegExp): string {
  const place = innerFolder(folder)
  const [name, second] = readdirSync(place).filter((one) => pattern.test(one))
  if (name !== undefined && second === undefined) return join(place, name)
  throw new MissingFilesError(`${place} must have one file *.onnx: name the file`)
}

function existing(file: string): string {
  if (existsSync(file)) return file
  throw new MissingFilesError(`${file} is no file: correct the path`)
}

function choose(names: readonly string[], { name: pattern, isList = false }: FileRule, precision: Precision): string[] {
  const fitting = names.filter((name) => pattern.test(name))
  if (isList) return fitting
  const preferred = fitting.find((name) => name.includes('int8') === (precision === 'int8'))
  return [preferred ?? fitting[0] ?? []].flat()
}

/** @throws MissingFilesError for a folder that is missing */
function innerFolder(folder: string): string {
  let entries
  try {
    entries = readdirSync(folder)
  } catch {
    throw new MissingFilesError(`${folder} is no folder: unpack the model there, or correct the path`)
  }
  const [only] = entries
  if (entries.length !== 1 || only === undefined) return folder
  const inner = join(folder, only)
  return statSync(inner).isDirectory() ? inner : folder
}
