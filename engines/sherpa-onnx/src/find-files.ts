import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Family, FAMILY_FILES, type FileRule } from './families.ts'

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
