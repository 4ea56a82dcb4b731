import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, isAbsolute, join } from 'node:path'
import { FAMILIES, type Family, type FileRule, type FileRules } from './families.ts'

/** The paths of a model's files, by their roles. */
export type ModelFiles = Readonly<Record<string, string>>

/** How a model stores its numbers: whole numbers of 8 bits are smaller and faster on most processors. */
export type Precision = 'int8' | 'float'

/** What a folder lacks, or has too often. */
export class MissingFilesError extends Error {
  /** The class name: programs compare it. */
  override readonly name = 'MissingFilesError' as const
}

/**
 * Finds the files of a model in its folder, or in the only folder inside it, as archives have it.
 * @param precision Which file to take where a model has both. A model with one of them has that one.
 * @param given Names of files in the folder or their paths, by their roles.
 * @throws MissingFilesError naming what the folder lacks, or the files of which none is the obvious one
 */
export function findFiles(
  folder: string,
  family: Family,
  precision: Precision = 'int8',
  given: ModelFiles = {},
): ModelFiles {
  const place = innerFolder(folder)
  const sets = FAMILIES[family].files.map((rules) => searchFiles(place, rules, precision, given))
  const complete = sets.find(({ missing }) => missing.length === 0)
  // The set that lacks least is the one that is meant.
  const best = complete ?? sets.toSorted((a, b) => a.missing.length - b.missing.length)[0]
  const { found = {}, missing = [], unclear = [] } = best ?? {}
  if (missing.length > 0) {
    throw new MissingFilesError(`${place} is no model of the family ${family}: it has no ${missing.join(', no ')}`)
  }
  const [choice] = unclear
  if (choice === undefined) return found
  throw new MissingFilesError(
    `${place} has ${choice.names.join(' and ')}: name one with files: { ${choice.role}: ${choice.names[0]} }`,
  )
}

/** The result of a search for the files of one set. */
interface FoundFiles {
  readonly found: ModelFiles
  readonly missing: readonly string[]
  /** Roles that several files fit equally well. */
  readonly unclear: readonly { readonly role: string; readonly names: readonly string[] }[]
}

function searchFiles(place: string, rules: FileRules, precision: Precision, given: ModelFiles): FoundFiles {
  const names = visibleNames(place)
  const found: Record<string, string> = {}
  const missing: string[] = []
  const unclear: { role: string; names: readonly string[] }[] = []
  for (const [role, rule] of Object.entries(rules)) {
    const named = given[role]
    const chosen = named === undefined ? choose(names, rule, precision) : [named]
    const [first] = chosen
    if (first === undefined) {
      if (rule.isOptional !== true) missing.push(rule.says)
      continue
    }
    if (rule.isList !== true && chosen.length > 1) unclear.push({ role, names: chosen })
    const paths = rule.isList === true ? chosen : [first]
    found[role] = paths.map((name) => (isAbsolute(name) ? name : join(place, name))).join(',')
    if (named !== undefined && !existsSync(found[role])) missing.push(named)
  }
  return { found, missing, unclear }
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
  const names = visibleNames(place)
  const [model, second] = choose(names, { name: /\.onnx$/, says: '*.onnx' }, precision)
  if (model === undefined) throw new MissingFilesError(`${place} has no model for punctuation: it has no file *.onnx`)
  if (second !== undefined) throw new MissingFilesError(`${place} has ${model} and ${second}: leave one of them there`)
  const vocabulary = names.find((name) => name === 'bpe.vocab')
  return { model: join(place, model), vocabulary: vocabulary === undefined ? undefined : join(place, vocabulary) }
}

function onlyFile(folder: string, pattern: RegExp): string {
  const place = innerFolder(folder)
  const [name, second] = visibleNames(place).filter((one) => pattern.test(one))
  if (name !== undefined && second === undefined) return join(place, name)
  throw new MissingFilesError(`${place} must have one file *.onnx: name the file`)
}

function existing(file: string): string {
  if (existsSync(file)) return file
  throw new MissingFilesError(`${file} is no file: correct the path`)
}

/** How the numbers of a graph are stored, by its name. */
function storageOf(name: string): 'int8' | 'half' | 'float' {
  if (/int8|q8/.test(name)) return 'int8'
  return /fp16|half/.test(name) ? 'half' : 'float'
}

/** Kinds of numbers, the best one first. */
const RANKS: Readonly<Record<Precision, readonly string[]>> = {
  int8: ['int8', 'float', 'half'],
  float: ['float', 'half', 'int8'],
}

/** The files that fit a rule best: several where nothing distinguishes them. */
function choose(names: readonly string[], { name: pattern, isList = false }: FileRule, precision: Precision): string[] {
  const fitting = names.filter((name) => pattern.test(name))
  if (isList) return fitting
  const rankOf = (name: string): number => RANKS[precision].indexOf(storageOf(name))
  const best = Math.min(...fitting.map(rankOf))
  return fitting.filter((name) => rankOf(name) === best)
}

/** The names in a folder, without those that systems leave there, such as `.DS_Store`. */
export function visibleNames(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.') && !CLUTTER.has(name))
    .toSorted()
}

/** What systems leave in folders and archives. */
const CLUTTER: ReadonlySet<string> = new Set(['__MACOSX', 'Thumbs.db', 'desktop.ini'])

/**
 * Returns the folder with the files of a model: the given one, or the only one inside it.
 * @throws MissingFilesError for a folder that is missing
 */
export function innerFolder(folder: string): string {
  let entries
  try {
    entries = visibleNames(folder)
  } catch {
    throw new MissingFilesError(`${folder} is no folder: unpack the model there, or correct the path`)
  }
  const [only] = entries
  if (entries.length !== 1 || only === undefined) return folder
  const inner = join(folder, only)
  return statSync(inner).isDirectory() ? inner : folder
}
