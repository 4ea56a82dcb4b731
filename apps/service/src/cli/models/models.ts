import { cp, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { z } from 'zod'
import { UsageError } from '../errors.ts'
import { jsonText, type ListFormat, table } from '../list-format.ts'
import { download, type Downloaded, type DownloadOptions, forgetDownload, hashOf } from './download.ts'
import { ARCHIVE_ENDINGS, type ArchiveLimits, unpack } from './unpack.ts'

/** Folder of models in the data folder. The driver `sherpa-onnx` looks for names there. */
const MODELS = 'models'

/** What is known about an added model. It stands in its folder. */
const NOTE_FILE = 'svc-audio-model.json'

const Note = z.object({ source: z.string(), sha256: z.string().optional(), added: z.string() })

/** What the command `models add` is told. */
export interface ModelOrder {
  /** A folder, an archive, or the address of an archive. */
  readonly source: string
  /** @default the name of the source without its ending */
  readonly name?: string | undefined
  /** SHA-256 of the archive. @default it is printed, and not compared */
  readonly sha256?: string | undefined
}

/** What surrounds the command. */
export interface ModelSurroundings extends Omit<DownloadOptions, 'folder'> {
  readonly limits?: ArchiveLimits
}

/**
 * Adds a model to the data folder. It appears when it is complete, or not at all. Nothing is downloaded unless the
 * source is an address.
 * @returns Its name, its checksum, and how the file of engines names it
 * @throws UsageError with the remedy
 */
export async function addModel(
  dataDir: string,
  { source, name = nameOf(source), sha256 }: ModelOrder,
  surroundings: ModelSurroundings = {},
): Promise<string> {
  const folder = join(resolve(dataDir), MODELS)
  const target = join(folder, checkedName(name))
  if (await exists(target)) throw new UsageError(`The model ${name} exists: remove it, or choose another --name`)
  const url = addressOf(source)
  if (url?.protocol === 'http:' && sha256 === undefined && !isLoopback(url)) {
    throw new UsageError(`${url.host} has no TLS: give the checksum of the archive with --sha256, or use https`)
  }
  await mkdir(folder, { recursive: true })
  const downloaded =
    url === undefined ? undefined : await download(url, { ...surroundings, folder: join(folder, '.downloads') })
  const space = await mkdtemp(join(folder, '.adding-'))
  try {
    const hash = await fill(space, { source, sha256, downloaded }, surroundings)
    const note = { source: withoutSecrets(source, url), ...(hash === undefined ? {} : { sha256: hash }) }
    const root = await contentOf(space)
    await writeFile(join(root, NOTE_FILE), jsonText({ ...note, added: new Date().toISOString() }))
    await rename(root, target)
    const checksum = hash === undefined ? '' : `sha256 ${hash}${sha256 === undefined ? '' : ' (as given)'}\n`
    return `Added ${name}, ${megabytes(await bytesOf(target))}\n${checksum}\n${entryFor(name)}`
  } finally {
    await rm(space, { recursive: true, force: true })
    if (downloaded !== undefined) await forgetDownload(downloaded.path)
  }
}

/** Copies or unpacks the source into an empty folder. @returns The checksum of an archive */
async function fill(
  space: string,
  { source, sha256, downloaded }: ModelOrder & { readonly downloaded: Downloaded | undefined },
  { signal, limits }: ModelSurroundings,
): Promise<string | undefined> {
  const path = downloaded?.path ?? resolve(source)
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) throw new UsageError(`${source} is no folder, no archive and no address`)
  if (found.isDirectory()) {
    if (sha256 !== undefined) throw new UsageError('--sha256 is the checksum of an archive, and the source is a folder')
    await cp(path, space, { recursive: true, dereference: true })
    return undefined
  }
  const hash = downloaded?.sha256 ?? (await hashOf(path))
  if (sha256 !== undefined && sha256.toLowerCase() !== hash) {
    throw new UsageError(`The archive has another checksum: ${hash}. It was not added`)
  }
  await unpack(path, space, {
    ...(limits === undefined ? {} : { limits }),
    ...(signal === undefined ? {} : { signal }),
  })
  return hash
}

/** An archive of one folder has the model in that folder. */
async function contentOf(space: string): Promise<string> {
  const names = await readdir(space)
  const [only] = names
  if (only === undefined) throw new UsageError('The source has no files')
  const inner = join(space, only)
  return names.length === 1 && (await lstat(inner)).isDirectory() ? inner : space
}

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

function addressOf(source: string): URL | undefined {
  return /^https?:\/\//i.test(source) && URL.canParse(source) ? new URL(source) : undefined
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
}

/** An address without its query and its user, which may be secret. */
function withoutSecrets(source: string, url: URL | undefined): string {
  return url === undefined ? resolve(source) : url.origin + url.pathname
}

function nameOf(source: string): string {
  const url = addressOf(source)
  const last = basename(url === undefined ? resolve(source) : url.pathname)
  const ending = ARCHIVE_ENDINGS.toSorted((a, b) => b.length - a.length).find((one) => last.endsWith(one))
  return decodeURIComponent(ending === undefined ? last : last.slice(0, -ending.length))
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

/** Families of models by what the names of published ones contain. The first that fits counts. */
const FAMILIES: readonly (readonly [part: RegExp, family: string])[] = [
  [/titanet|wespeaker|3dspeaker|speaker/, 'speaker-embedding'],
  [/piper/, 'piper'],
  [/kokoro/, 'kokoro'],
  [/matcha/, 'matcha'],
  [/vits/, 'vits'],
  [/whisper/, 'whisper'],
  [/moonshine/, 'moonshine'],
  [/sense-?voice/, 'sense-voice'],
  [/parakeet.*ctc|nemo.*ctc/, 'nemo-ctc'],
  [/parakeet|nemo.*transducer/, 'parakeet'],
  [/zipformer.*ctc/, 'zipformer-ctc'],
  [/zipformer|transducer/, 'transducer'],
]

/** Models that an engine which listens names beside its own. The first that fits counts. */
const HELPERS: readonly (readonly [part: RegExp, key: string])[] = [
  [/vad/, 'vad'],
  [/punct/, 'punctuation'],
]

const VOICES: ReadonlySet<unknown> = new Set(['piper', 'kokoro', 'matcha', 'vits'])

/** Returns how the file of engines names a model of sherpa-onnx. The family is guessed by the name. */
export function entryFor(name: string): string {
  const helper = HELPERS.find(([part]) => part.test(name.toLowerCase()))?.[1]
  if (helper !== undefined)
    return `Its line in the entry of an engine that listens, in the file of engines:\n\n    ${helper}: ${name}\n`
  const family = FAMILIES.find(([part]) => part.test(name.toLowerCase()))?.[1]
  const key = name
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 40)
    .replace(/-+$/, '')
  const lines = [
    `  ${key === '' ? 'model' : key}:`,
    '    driver: sherpa-onnx',
    `    family: ${family ?? '… # see the page of the package for the families'}`,
    `    model: ${name}`,
    ...(VOICES.has(family) ? ['    voices:', '      - { id: my-voice, language: en }'] : []),
  ]
  return `Its entry in the file of engines:\n\nengines:\n${lines.join('\n')}\n`
}
