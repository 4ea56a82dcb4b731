import { lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { join, resolve } from 'node:path'
import { completeModel, MissingFilesError } from '@svc-audio/engine-sherpa-onnx'
import { z } from 'zod'
import { UsageError } from '../errors.ts'
import { jsonText, type ListFormat, table } from '../list-format.ts'
import { CATALOGUE, type CatalogueModel } from './catalogue.ts'
import { entryOf, entryText, type ModelEntry, writeEntry } from './entry.ts'
import { fill, findSource, type ModelOrder, type ModelSurroundings } from './source.ts'

/** Folder of models in the data folder. The driver `sherpa-onnx` looks for names there. */
const MODELS = 'models'

/** What is known about an added model. It stands in its folder. */
const NOTE_FILE = 'svc-audio-model.json'

const Note = z.object({ source: z.string(), sha256: z.string().optional(), added: z.string() })

/** What happens to the entry of a model. */
export interface EntryOptions {
  /** File of engines. @default none: the entry is printed */
  readonly enginesFile?: string | undefined
  /** Decides whether the entry is written into it. @default it is printed */
  readonly agree?: (question: string) => Promise<boolean>
}

/**
 * Adds a model to the data folder. It appears when it is complete, or not at all. Nothing is downloaded unless the
 * source is an address or a name of the catalogue.
 * @returns Its name, its checksum and its license, and its entry in the file of engines
 * @throws UsageError with the remedy
 */
export async function addModel(
  dataDir: string,
  order: ModelOrder,
  surroundings: ModelSurroundings = {},
  options: EntryOptions = {},
): Promise<string> {
  const folder = join(resolve(dataDir), MODELS)
  const source = await findSource(order, surroundings)
  const { name, known } = source
  const target = join(folder, checkedName(name))
  if (await exists(target)) throw new UsageError(`The model ${name} exists: remove it, or choose another --name`)
  await mkdir(folder, { recursive: true })
  const space = await mkdtemp(join(folder, '.adding-'))
  let hash
  try {
    hash = await fill(space, source, surroundings, join(folder, '.downloads'))
    const root = await contentOf(space)
    complete(root, folder)
    const note = { source: source.shown, ...(hash === undefined ? {} : { sha256: hash }) }
    await writeFile(join(root, NOTE_FILE), jsonText({ ...note, added: new Date().toISOString() }))
    await rename(root, target)
  } finally {
    await rm(space, { recursive: true, force: true })
  }
  const said = [
    `Added ${name}, ${megabytes(await bytesOf(target))}\n`,
    ...(hash === undefined ? [] : [`sha256 ${hash}${proof(source.sha256, order.sha256)}\n`]),
    ...(known === undefined ? [] : [`license ${known.license}\n`]),
  ]
  return `${said.join('')}\n${await placeEntry(entryOf(target, name, known), dataDir, options)}`
}

/** What a checksum was compared with. */
function proof(expected: string | undefined, given: string | undefined): string {
  if (given !== undefined) return ' (as given)'
  return expected === undefined ? '' : ' (as in the catalogue)'
}

/** Adds what sherpa-onnx needs to a model as its makers publish it. @throws UsageError */
function complete(root: string, models: string): void {
  try {
    completeModel(root, models)
  } catch (error) {
    throw error instanceof MissingFilesError ? new UsageError(error.message, { cause: error }) : error
  }
}

/** Writes the entry into the file of engines if the person agrees, or returns it to be printed. */
async function placeEntry(
  entry: ModelEntry | { readonly why: string },
  dataDir: string,
  { enginesFile, agree }: EntryOptions,
): Promise<string> {
  if ('why' in entry) {
    return `It has no entry: ${entry.why}. If it is of a family that the driver knows, name its files with the key \`files\`.\n`
  }
  const text = entryText(entry)
  if (enginesFile === undefined || agree === undefined) return text
  if (!(await agree(`${text}\nWrite it into ${enginesFile}?`))) return text
  return writeEntry(enginesFile, entry, dataDir)
}

/**
 * Makes the question whether an entry is written.
 * @param yes Whether the person has answered with `--yes`.
 * @returns Asks on standard error. Without a terminal, and when the person leaves the question, the answer is no: the
 * entry is printed
 */
export function agreement(
  yes: boolean,
  input: NodeJS.ReadableStream & { readonly isTTY?: boolean } = process.stdin,
  output: NodeJS.WritableStream = process.stderr,
): (question: string) => Promise<boolean> {
  return async (question) => {
    if (yes || input.isTTY !== true) return yes
    const lines = createInterface({ input, output })
    const left = new AbortController()
    lines.once('close', () => left.abort())
    try {
      const said = await lines.question(`${question} [Y/n] `, { signal: left.signal })
      return /^(?:y|yes)?$/i.test(said.trim())
    } catch (error) {
      // Ctrl+D and Ctrl+C end the question. The model is already there.
      if (left.signal.aborted) return false
      throw error
    } finally {
      lines.close()
    }
  }
}

/** An archive of one folder has the model in that folder. */
async function contentOf(space: string): Promise<string> {
  const names = (await readdir(space)).filter((name) => !name.startsWith('.') && name !== '__MACOSX')
  const [only] = names
  if (only === undefined) throw new UsageError('The source has no files')
  const inner = join(space, only)
  return names.length === 1 && (await lstat(inner)).isDirectory() ? inner : space
}

/** Lists the models of the catalogue, as a table or as JSON, with those that were added. */
export async function listCatalogue(
  dataDir: string,
  { json = false }: ListFormat,
  catalogue: readonly CatalogueModel[] = CATALOGUE,
): Promise<string> {
  const added = new Set(await readdir(join(resolve(dataDir), MODELS)).catch(() => []))
  if (json) return jsonText(catalogue.map((model) => ({ ...model, added: added.has(model.name) })))
  const rows = catalogue.map(({ name, bytes, sha256, license, languages, goodFor, measured = '' }) => [
    added.has(name) ? `${name} (added)` : name,
    megabytes(bytes),
    languageText(languages),
    sha256 === undefined ? 'none' : `${sha256.slice(0, 8)}…`,
    license,
    goodFor,
    measured,
  ])
  return table([['NAME', 'SIZE', 'LANGUAGES', 'SHA-256', 'LICENSE', 'GOOD FOR', 'MEASURED'], ...rows])
}

function languageText(languages: readonly string[]): string {
  if (languages.includes('*')) return 'all'
  return languages.length > MOST_LANGUAGES ? `${languages.length} languages` : languages.join(', ')
}

/** Languages of a line. */
const MOST_LANGUAGES = 6

/** Lists the added models, as a table or as JSON. */
export async function listModels(dataDir: string, { json = false }: ListFormat): Promise<string> {
  const folder = join(resolve(dataDir), MODELS)
  const names = (await readdir(folder).catch(() => [])).filter((name) => !name.startsWith('.')).toSorted()
  const models = await Promise.all(
    names.map(async (name) => {
      const { source, sha256, added } = (await readNote(join(folder, name))) ?? {}
      return { name, bytes: await bytesOf(join(folder, name)), source, sha256, added }
    }),
  )
  if (json) return jsonText(models)
  if (models.length === 0) return 'No models. Add one with models add.\n'
  const rows = models.map(({ name, bytes, added = '', source = 'copied by hand' }) => [
    name,
    megabytes(bytes),
    added,
    source,
  ])
  return table([['NAME', 'SIZE', 'ADDED', 'SOURCE'], ...rows])
}

/** Removes a model. @throws UsageError when there is none of this name */
export async function removeModel(dataDir: string, name: string): Promise<string> {
  const path = join(resolve(dataDir), MODELS, checkedName(name))
  if (!(await exists(path))) throw new UsageError(`There is no model ${name}: see models list`)
  await rm(path, { recursive: true })
  return `Removed ${name}. Remove its entry from the file of engines too.\n`
}

async function readNote(folder: string): Promise<z.infer<typeof Note> | undefined> {
  const text = await readFile(join(folder, NOTE_FILE), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : Note.parse(JSON.parse(text))
}

function checkedName(name: string): string {
  if (/^[A-Za-z\d][\w.-]{0,99}$/.test(name)) return name
  throw new UsageError(
    `${JSON.stringify(name)} is no name of a model: give --name with letters, digits, dots, dashes and underscores`,
  )
}

function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

async function bytesOf(path: string): Promise<number> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => [])
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
