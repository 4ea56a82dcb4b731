import { readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { describeModel, MAX_VOICES, MissingFilesError, type ModelDescription } from '@svc-audio/engine-sherpa-onnx'
import { Document, isMap, isScalar, parseDocument, YAMLMap, YAMLSeq } from 'yaml'
import { errorCode } from '../../domain/error-code.ts'
import { EnginesFileError, readEnginesFile } from '../../engines-file/read.ts'
import { UsageError } from '../errors.ts'
import type { CatalogueModel } from './catalogue.ts'
import { fileError } from './unpack.ts'

/** How the file of engines names a model. */
export interface ModelEntry {
  /** Name of the entry. `undefined` for a model that the entries of other engines name. */
  readonly name: string | undefined
  /** Keys of the entry, or the key of other entries. */
  readonly keys: Readonly<Record<string, unknown>>
  /** What a person should know. */
  readonly notes: readonly string[]
}

/**
 * Finds the entry of a model by its files.
 * @param model Name of its folder.
 * @param known Its line in the catalogue, which knows more than the files.
 * @returns Why there is none, for files that fit no family
 */
export function entryOf(folder: string, model: string, known?: CatalogueModel): ModelEntry | { readonly why: string } {
  let description: ModelDescription
  try {
    description = describeModel(folder)
  } catch (error) {
    if (error instanceof MissingFilesError) return { why: error.message }
    throw error
  }
  if (description.use !== 'engine') return { name: undefined, keys: { [description.use]: model }, notes: [] }
  const { family, voices, speakers = 0 } = description
  const listed = known?.languages.includes('*') === false && voices === undefined ? known.languages : undefined
  const languages = family === 'speaker-embedding' ? undefined : (listed ?? description.languages)
  const [first, second] = voices ?? []
  const gender = second === undefined && first?.gender === undefined ? known?.gender : undefined
  const named = first === undefined || gender === undefined ? voices : [{ ...first, gender }]
  const more =
    speakers > MAX_VOICES ? [`The model has ${speakers} speakers: add voices with speaker 0 to ${speakers - 1}.`] : []
  const keys = {
    driver: 'sherpa-onnx',
    family,
    model,
    ...(named && { voices: named }),
    ...(languages && { languages }),
  }
  return { name: keyOf(model), keys, notes: more }
}

/** A name of a model as the name of an entry. */
function keyOf(model: string): string {
  const key = model
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 40)
    .replace(/-+$/, '')
  return key === '' ? 'model' : key
}

/** Prints an entry as it stands in a file, with the line above it that says what it is. */
export function entryText({ name, keys, notes }: ModelEntry): string {
  const remarks = notes.map((note) => `${note}\n`).join('')
  if (name === undefined) {
    const lines = Object.entries(keys).map(([key, value]) => `    ${key}: ${String(value)}\n`)
    return `Its line in the entry of an engine that listens, in the file of engines:\n\n${lines.join('')}${remarks}`
  }
  const document = new Document({ engines: {} })
  document.setIn(['engines', name], nodeOf(document, keys))
  return `Its entry in the file of engines:\n\n${document.toString({ lineWidth: 0 })}${remarks}`
}

/** Makes the node of an entry. Each voice and each list of languages is one line. */
function nodeOf(document: Document, keys: ModelEntry['keys']): unknown {
  const flow = (value: unknown): unknown => document.createNode(value, { flow: true })
  const parts = Object.entries(keys).map(([key, value]): [string, unknown] => {
    if (key === 'languages') return [key, flow(value)]
    if (key !== 'voices' || !Array.isArray(value)) return [key, value]
    const voices = new YAMLSeq()
    voices.items.push(...value.map(flow))
    return [key, voices]
  })
  const map = new YAMLMap()
  for (const [key, value] of parts) map.set(key, value)
  return map
}

/** The text of the file of engines and its mode. @returns `undefined` for a file that does not exist */
async function readExisting(path: string): Promise<{ readonly text: string; readonly mode: number } | undefined> {
  try {
    return { text: await readFile(path, 'utf8'), mode: (await stat(path)).mode & 0o777 }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw fileError(error)
  }
}

/**
 * Writes an entry into the file of engines, which it makes if there is none. Comments and the mode of the file stay. A
 * model that other entries name is written into each of them that listens.
 * @returns What it has done, for people
 * @throws UsageError for a file with mistakes, which stays as it is
 */
export async function writeEntry(path: string, entry: ModelEntry, dataDir: string): Promise<string> {
  const before = await readExisting(path)
  const document = parseDocument(before?.text ?? '', { prettyErrors: false })
  const isOther = document.contents !== null && !isMap(document.contents)
  if (document.errors.length > 0 || isOther) {
    throw new UsageError(`${path} is no file of engines in YAML or JSON: correct it first`)
  }
  const done = entry.name === undefined ? addKey(document, entry) : addEntry(document, entry.name, entry)
  if (done === undefined) {
    throw new UsageError(
      `${path} has no engine of sherpa-onnx that listens and lacks ${Object.keys(entry.keys).join()}`,
    )
  }
  const text = path.endsWith('.json')
    ? `${JSON.stringify(document.toJS(), undefined, 2)}\n`
    : document.toString({ lineWidth: 0 })
  const space = `${path}.new`
  try {
    await writeFile(space, text, { mode: before?.mode ?? 0o666 })
    await readEnginesFile(space, { dataDir })
    // A link stays one.
    await rename(space, before === undefined ? path : await realpath(path))
  } catch (error) {
    await rm(space, { force: true })
    if (!(error instanceof EnginesFileError)) throw fileError(error)
    const faults = error.message.replaceAll(space, path)
    throw new UsageError(`Nothing was written, since ${path} would have a mistake:\n${faults}`, { cause: error })
  }
  return `Wrote ${done} into ${path}\n`
}

/** Adds an entry under a name that none has, with voices that no other entry has. */
function addEntry(document: Document, name: string, { keys }: ModelEntry): string {
  const engines = document.get('engines')
  const names = isMap(engines) ? engines.items.map(({ key }) => String(isScalar(key) ? key.value : key)) : []
  const ids = names.flatMap((one) => voiceIds(document.getIn(['engines', one, 'voices'])))
  const free = freeName(name, names)
  const voices = Array.isArray(keys['voices']) ? keys['voices'].map((voice) => withFreeId(voice, ids)) : undefined
  const own = { ...keys, ...(voices && { voices }) }
  if (!isMap(engines)) document.set('engines', new YAMLMap())
  document.setIn(['engines', free], nodeOf(document, own))
  return `the engine ${free}`
}

/** Adds a key to each engine that listens and lacks it. @returns `undefined` when there is none */
function addKey(document: Document, { keys }: ModelEntry): string | undefined {
  const engines = document.get('engines')
  const given: unknown = document.toJS()
  const all: unknown = typeof given === 'object' && given !== null ? Reflect.get(given, 'engines') : undefined
  const changed: string[] = []
  for (const [name, engine] of Object.entries(Object(isMap(engines) ? all : {}))) {
    const own = new Map<string, unknown>(Object.entries(Object(engine)))
    const listens = own.get('driver') === 'sherpa-onnx' && !own.has('voices')
    const isRecognizer = own.get('family') !== 'speaker-embedding'
    for (const [key, value] of Object.entries(keys)) {
      if (!listens || own.has(key) || (key === 'punctuation' && !isRecognizer)) continue
      document.setIn(['engines', name, key], value)
      changed.push(`${key} of ${name}`)
    }
  }
  return changed.length === 0 ? undefined : changed.join(', ')
}

function voiceIds(voices: unknown): string[] {
  const listed: unknown =
    typeof voices === 'object' && voices !== null && 'toJSON' in voices
      ? Reflect.apply(Object(voices.toJSON), voices, [])
      : []
  return Array.isArray(listed) ? listed.map((voice: unknown) => String(Reflect.get(Object(voice), 'id'))) : []
}

function withFreeId(voice: unknown, taken: readonly string[]): unknown {
  const id: unknown = Reflect.get(Object(voice), 'id')
  return { ...Object(voice), id: freeName(String(id), taken) }
}

function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name
  let number = 2
  while (taken.includes(`${name}-${number}`)) number += 1
  return `${name}-${number}`
}
