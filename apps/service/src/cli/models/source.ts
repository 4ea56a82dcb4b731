import { copyFile, mkdir, readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { nearHint } from '#options'
import { UsageError } from '../errors.ts'
import { CATALOGUE, type CatalogueModel } from './catalogue.ts'
import {
  download,
  type Downloaded,
  type DownloadOptions,
  forgetDownload,
  hashOf,
  needsChecksum,
  NoSuchFileError,
} from './download.ts'
import { ARCHIVE_ENDINGS, ARCHIVE_LIMITS, type ArchiveLimits, fileError, unpack } from './unpack.ts'

/** What the command `models add` is told. */
export interface ModelOrder {
  /** A name of the catalogue, a folder, an archive, a graph `*.onnx`, or the address of one of the last two. */
  readonly source: string
  /** @default the name of the source without its ending */
  readonly name?: string | undefined
  /** SHA-256 of the file. @default that of the catalogue; for other sources it is printed, and not compared */
  readonly sha256?: string | undefined
  /** A folder or an address with the files of the catalogue. @default they come from their publishers */
  readonly mirror?: string | undefined
}

/** What surrounds the command. */
export interface ModelSurroundings extends Omit<DownloadOptions, 'folder' | 'bytes' | 'isChecked'> {
  readonly limits?: ArchiveLimits
  /** @default the catalogue of this version */
  readonly catalogue?: readonly CatalogueModel[]
}

/** Where a model comes from. */
export interface ModelSource {
  /** Its path on this machine or its address. */
  readonly place: string | URL
  /** What may be shown and stored: no query and no user of an address. */
  readonly shown: string
  readonly name: string
  readonly sha256: string | undefined
  /** Its line in the catalogue. */
  readonly known: CatalogueModel | undefined
}

/** Finds out what the command was told. @throws UsageError for a name that nothing has */
export async function findSource(
  { source, name, sha256, mirror }: ModelOrder,
  { catalogue = CATALOGUE }: ModelSurroundings,
): Promise<ModelSource> {
  const known = catalogue.find((model) => model.name === source)
  if (known !== undefined && !(await exists(source))) {
    const place = mirrored(known.url, mirror)
    const found = { name: name ?? known.name, sha256: sha256 ?? known.sha256, known }
    return { place, shown: place instanceof URL ? withoutSecrets(place) : place, ...found }
  }
  if (mirror !== undefined) throw new UsageError(`--mirror has files of the catalogue, and ${source} is not in it`)
  const url = addressOf(source)
  if (url !== undefined) {
    return { place: url, shown: withoutSecrets(url), name: name ?? nameOf(url.pathname), sha256, known: undefined }
  }
  await stat(source).catch((error: unknown) => {
    throw notFound(source, error, catalogue)
  })
  return {
    place: resolve(source),
    shown: resolve(source),
    name: name ?? nameOf(resolve(source)),
    sha256,
    known: undefined,
  }
}

/** Puts the files of a source into an empty folder. @returns The checksum of a file */
export async function fill(
  space: string,
  { place, sha256, known }: ModelSource,
  surroundings: ModelSurroundings,
  downloads: string,
): Promise<string | undefined> {
  if (typeof place === 'string') {
    const found = await stat(place).catch((error: unknown) => {
      throw fileError(error)
    })
    if (found.isDirectory()) {
      if (sha256 !== undefined) throw new UsageError('--sha256 is the checksum of a file, and the source is a folder')
      await copyFolder(place, space, surroundings.limits)
      return undefined
    }
    if (!found.isFile()) throw new UsageError(`${place} is no folder and no file with bytes, such as an archive`)
    const hash = await checkedHash(place, sha256)
    await open(place, basename(place), space, surroundings)
    const description = `${place}.json`
    if (isGraph(place) && (await exists(description))) await copyFile(description, join(space, basename(description)))
    return hash
  }
  if (needsChecksum(place) && sha256 === undefined) {
    throw new UsageError(`${place.host} has no TLS: give the checksum of the file with --sha256, or use https`)
  }
  const options = { ...surroundings, folder: downloads, isChecked: sha256 !== undefined, bytes: known?.bytes }
  const file = await download(place, options)
  try {
    const hash = checked(file.sha256, sha256)
    const name = basename(decoded(place.pathname))
    await open(file.path, name, space, surroundings)
    // Piper's voices have their description beside them. Other graphs have none.
    if (isGraph(name) && known === undefined)
      await describe(place, join(space, `${name}.json`), { ...surroundings, folder: downloads })
    return hash
  } finally {
    await forgetDownload(file.path)
  }
}

/**
 * Downloads the description beside a graph, if there is one. It has no checksum, so it is never taken without TLS.
 * @throws UsageError where it may be there, and cannot be had
 */
async function describe(graph: URL, target: string, options: DownloadOptions): Promise<void> {
  if (needsChecksum(graph)) return
  const url = new URL(graph)
  url.pathname += '.json'
  let file: Downloaded
  try {
    file = await download(url, options)
  } catch (error) {
    if (error instanceof NoSuchFileError) return
    throw error
  }
  await copyFile(file.path, target)
  await forgetDownload(file.path)
}

async function checkedHash(path: string, sha256: string | undefined): Promise<string> {
  const hash = await hashOf(path).catch((error: unknown) => {
    throw fileError(error)
  })
  return checked(hash, sha256)
}

function checked(hash: string, sha256: string | undefined): string {
  if (sha256 === undefined || sha256.toLowerCase() === hash) return hash
  throw new UsageError(`The file has another checksum: ${hash}. It was not added`)
}

/** Copies a graph or unpacks an archive. */
async function open(path: string, name: string, space: string, { signal, limits }: ModelSurroundings): Promise<void> {
  if (isGraph(name)) return copyFile(path, join(space, name))
  return unpack(path, space, { ...(limits !== undefined && { limits }), ...(signal !== undefined && { signal }) })
}

function isGraph(name: string): boolean {
  return name.endsWith('.onnx')
}

/** Copies a folder with the files that its links name. @throws UsageError for anything that is no file */
async function copyFolder(from: string, to: string, limits: ArchiveLimits = ARCHIVE_LIMITS): Promise<void> {
  const left = { bytes: limits.bytes, entries: limits.entries }
  const space = await realpath(to)
  const copy = async (source: string, target: string, around: readonly string[]): Promise<void> => {
    const real = await realpath(source)
    if (around.includes(real)) throw new UsageError(`${source} is a link to a folder around it: remove it`)
    if (`${space}${sep}`.startsWith(`${real}${sep}`)) {
      throw new UsageError(`${source} holds the data folder: name the folder of the model`)
    }
    for (const name of await readdir(source)) {
      const [path, copied] = [join(source, name), join(target, name)]
      const found = await stat(path)
      left.entries -= 1
      if (left.entries < 0)
        throw new UsageError(`${from} has more than ${limits.entries} files: name the folder of one model`)
      if (found.isDirectory()) {
        await mkdir(copied)
        await copy(path, copied, [...around, real])
        continue
      }
      if (!found.isFile()) throw new UsageError(`${path} is no file with bytes: remove it from the folder`)
      left.bytes -= found.size
      if (left.bytes < 0)
        throw new UsageError(`${from} has more than ${limits.bytes} bytes: name the folder of one model`)
      await copyFile(path, copied)
    }
  }
  await copy(from, to, []).catch((error: unknown) => {
    throw fileError(error)
  })
}

/** The place of a file of the catalogue in a mirror: a folder, or an address. */
function mirrored(url: string, mirror: string | undefined): string | URL {
  const address = new URL(url)
  if (mirror === undefined) return address
  const file = basename(address.pathname)
  const base = addressOf(mirror)
  return base === undefined ? join(resolve(mirror), file) : new URL(file, base.href.replace(/\/*$/, '/'))
}

function notFound(source: string, error: unknown, catalogue: readonly CatalogueModel[]): Error {
  const explained = fileError(error)
  const names = catalogue.map(({ name }) => name)
  if (!/does not exist/.test(explained.message)) return explained
  if (dirname(source) !== '.') return new UsageError(`${source} does not exist: correct the path`, { cause: error })
  return new UsageError(
    `${source} is no folder, no file, no address and no name of the catalogue: see models list --available${nearHint(source, names)}`,
    { cause: error },
  )
}

function addressOf(source: string): URL | undefined {
  return /^https?:\/\//i.test(source) && URL.canParse(source) ? new URL(source) : undefined
}

/** An address without its query and its user, which may be secret. */
function withoutSecrets(url: URL): string {
  return url.origin + url.pathname
}

function nameOf(path: string): string {
  const last = basename(path)
  const ending = [...ARCHIVE_ENDINGS, '.onnx'].toSorted((a, b) => b.length - a.length).find((one) => last.endsWith(one))
  return decoded(ending === undefined ? last : last.slice(0, -ending.length))
}

/** A part of an address as people write it. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
