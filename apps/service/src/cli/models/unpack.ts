import { createReadStream, createWriteStream } from 'node:fs'
import { copyFile, mkdir, open, stat } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar'
import unbzip2 from 'unbzip2-stream'
import { errorCode } from '../../domain/error-code.ts'
import { UsageError } from '../errors.ts'

/** What an archive may hold. */
export interface ArchiveLimits {
  /** Bytes of all files. */
  readonly bytes: number
  readonly entries: number
}

/** More than any published model has. An archive beyond it is broken or hostile. */
export const ARCHIVE_LIMITS: ArchiveLimits = { bytes: 20 * 1024 ** 3, entries: 50_000 }

/** Endings of the archives that {@link unpack} reads. */
export const ARCHIVE_ENDINGS = ['.tar', '.tar.gz', '.tgz', '.tar.bz2', '.tbz2'] as const

/** Kinds of entries without content of their own. */
const EMPTY_TYPES: ReadonlySet<unknown> = new Set(['pax-header', 'pax-global-header'])

/**
 * Unpacks an archive into an existing empty folder. No entry leaves the folder, and no link is made: a link to a file of
 * the archive becomes a copy.
 * @throws UsageError for another kind of file, a broken archive, a path or a link outwards, and beyond the limits. Files
 * may remain
 */
export async function unpack(
  archive: string,
  folder: string,
  { limits = ARCHIVE_LIMITS, signal }: { readonly limits?: ArchiveLimits; readonly signal?: AbortSignal } = {},
): Promise<void> {
  const written = new Set<string>()
  const links: { readonly path: string; readonly target: string }[] = []
  let [bytes, entries] = [0, 0]
  const addBytes = (more: number): void => {
    bytes += more
    if (bytes > limits.bytes) throw new UsageError(`The archive has more than ${limits.bytes} bytes of files`)
  }
  const unpackEntry = async ({ header, body }: ParsedTarEntry): Promise<void> => {
    entries += 1
    if (entries > limits.entries) throw new UsageError(`The archive has more than ${limits.entries} entries`)
    const { name, type = 'file', linkname = '' } = header
    const path = pathInside(name)
    if (path === '' || type === 'directory' || EMPTY_TYPES.has(type)) {
      if (path !== '' && type === 'directory') await mkdir(join(folder, path), { recursive: true })
      await body.cancel()
      return
    }
    if (type === 'symlink' || type === 'link') {
      const target = type === 'link' ? linkname : posix.join(posix.dirname(path), linkname)
      if (posix.isAbsolute(linkname)) throw outwards(name)
      links.push({ path, target: pathInside(target) })
      await body.cancel()
      return
    }
    if (type !== 'file') throw new UsageError(`The archive has an entry that is no file: ${JSON.stringify(name)}`)
    addBytes(header.size)
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await pipeline(Readable.fromWeb(body), createWriteStream(join(folder, path)))
    written.add(path)
  }
  let failure: Error | undefined
  try {
    const entriesOf = await openArchive(archive, (error) => (failure ??= error))
    for await (const entry of entriesOf) {
      signal?.throwIfAborted()
      await unpackEntry(entry)
    }
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof UsageError) throw error
    if (isDiskError(error)) throw fileError(error)
    const reason = (failure ?? (error instanceof Error ? error : undefined))?.message ?? String(error)
    const what = CUT.test(reason) ? 'is cut: it ends too early' : `is broken (${reason})`
    throw new UsageError(`The archive ${what}. Copy or download it again`, { cause: error })
  }
  if (written.size === 0) throw new UsageError('The archive has no files')
  for (const { path, target } of links) {
    if (!written.has(target)) throw new UsageError(`The archive has a link to no file of it: ${JSON.stringify(path)}`)
    await mkdir(dirname(join(folder, path)), { recursive: true })
    addBytes((await stat(join(folder, target))).size)
    await copyFile(join(folder, target), join(folder, path))
  }
}

/** Returns a path of an archive without `.` and a slash at the end. @throws UsageError when it leaves the archive */
function pathInside(name: string): string {
  const path = posix.normalize(name.replaceAll('\\', '/')).replace(/\/+$/, '')
  if (path === '.' || path === '') return ''
  const isOutside = posix.isAbsolute(path) || path === '..' || path.startsWith('../') || /^[A-Za-z]:/.test(path)
  if (isOutside || path.includes('\0')) throw outwards(name)
  return path
}

function outwards(name: string): UsageError {
  return new UsageError(`The archive has a path that leaves its folder: ${JSON.stringify(name)}`)
}

/** What the readers of archives say about one that ends too early. */
const CUT = /unexpected end|truncated|premature|no more data|out of data|end of file/i

/** An error of this machine, and not of the archive. */
function isDiskError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error
}

/** Errors of files that people can mend, in their words. */
const FILE_ERRORS: Readonly<Record<string, string>> = {
  EACCES: 'may not be read or written by this user: change its owner or its rights',
  EPERM: 'may not be read or written by this user: change its owner or its rights',
  ELOOP: 'is a link that leads to itself: remove it',
  ENAMETOOLONG: 'has a name that is too long for this disk: shorten it',
  ENOENT: 'does not exist: correct the path',
  ENOSPC: 'has no room: the disk is full',
  EDQUOT: 'has no room: your share of the disk is used up',
  EROFS: 'is on a disk that is read-only: choose another --data-dir',
}

/** Explains an error of a file in one line. @returns The error itself if it is of another kind */
export function fileError(error: unknown): Error {
  const why = FILE_ERRORS[errorCode(error)]
  if (why === undefined || !(error instanceof Error)) return error instanceof Error ? error : new Error(String(error))
  const path = 'path' in error ? String(error.path) : 'A file'
  const shown = path.length > MOST_SHOWN ? `${path.slice(0, MOST_SHOWN)}…` : path
  return new UsageError(`${shown} ${why}`, { cause: error })
}

/** Characters of a path in an error. */
const MOST_SHOWN = 120

/**
 * Opens an archive by its first bytes: its name may be that of a download.
 * @param onFailure Called with the error that ends it. Readers behind it report only that it has ended.
 * @throws UsageError for another file
 */
async function openArchive(path: string, onFailure: (error: Error) => void): Promise<AsyncIterable<ParsedTarEntry>> {
  const file = await open(path)
  const head = Buffer.alloc(HEAD_BYTES)
  try {
    await file.read(head, 0, HEAD_BYTES, 0)
  } finally {
    await file.close()
  }
  const decompress = decompressorFor(head)
  if (decompress === undefined) {
    throw new UsageError(`${path} is no archive of the kinds ${ARCHIVE_ENDINGS.join(', ')}, and no graph *.onnx`)
  }
  const source = createReadStream(path)
  const tar = new PassThrough()
  // Either end may fail first, and the other one then has nothing left to do.
  tar.on('close', () => source.destroy())
  const fail = (error: Error): void => {
    onFailure(error)
    tar.destroy(error)
  }
  source.on('error', fail)
  source.pipe(decompress.on('error', fail)).pipe(tar)
  return Readable.toWeb(tar).pipeThrough(createTarDecoder({ strict: true }))
}

/** The first bytes of an archive, with the mark of the tar format. */
const HEAD_BYTES = 265

function decompressorFor(head: Buffer): NodeJS.ReadWriteStream | undefined {
  if (head[0] === 0x1f && head[1] === 0x8b) return createGunzip()
  if (head.toString('latin1', 0, 3) === 'BZh') return unbzip2()
  return head.toString('latin1', 257, 262) === 'ustar' ? new PassThrough() : undefined
}
