import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from '../../domain/error-code.ts'
import { UsageError } from '../errors.ts'
import { fileError } from './unpack.ts'

/** A server has no file under this address, or does not show it. */
export class NoSuchFileError extends UsageError {}

/** Answers of a server without the file. Stores of objects refuse what does not exist. */
const NO_SUCH_FILE: ReadonlySet<number> = new Set([403, 404, 410])

/** How far a download is, in bytes. */
export interface DownloadProgress {
  readonly received: number
  /** @default the server does not say */
  readonly total: number | undefined
}

/** Options of {@link download}. */
export interface DownloadOptions {
  /** Folder of downloads that are not complete. A later call resumes them. */
  readonly folder: string
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: DownloadProgress) => void
  /** Pause before a cut download is resumed, in milliseconds. @default 1000 */
  readonly pause?: number
  /** Largest file, in bytes. @default 20 GiB */
  readonly mostBytes?: number
  /** Size that the file must have, in bytes. @default any */
  readonly bytes?: number | undefined
  /** Whether the checksum of the file is compared afterwards: then it may come without TLS. @default false */
  readonly isChecked?: boolean | undefined
}

/** Times that a download is resumed without a new byte. */
const ATTEMPTS = 5

/** Longest wait for a response and between two pieces of it, in milliseconds. */
const SILENCE_MS = 60_000

const MOST_BYTES = 20 * 1024 ** 3

/** A finished download. */
export interface Downloaded {
  readonly path: string
  /** SHA-256 of the file, in hexadecimal digits. */
  readonly sha256: string
}

/**
 * Downloads a file. A download that was cut is resumed, also by a later call, if the server still has the same file.
 * @throws NoSuchFileError; UsageError with the remedy; the signal's reason
 */
export async function download(url: URL, options: DownloadOptions): Promise<Downloaded> {
  const { folder, signal, pause = 1000 } = options
  await mkdir(folder, { recursive: true })
  const path = join(folder, createHash('sha256').update(url.href).digest('hex').slice(0, 24))
  for (let attempt = 1; ;) {
    const before = await sizeOf(path)
    try {
      await fetchRest(url, path, options)
      return { path, sha256: await hashOf(path) }
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof UsageError) throw error
      const ofDisk = fileError(error)
      if (ofDisk instanceof UsageError) throw ofDisk
      attempt = (await sizeOf(path)) > before ? 1 : attempt + 1
      const unreachable = whyUnreachable(error)
      // A name that does not exist and a wrong certificate stay so.
      if (unreachable?.isFinal === true || (attempt > ATTEMPTS && unreachable !== undefined)) {
        throw new UsageError(`${url.host} cannot be reached: ${unreachable.why}`, { cause: error })
      }
      if (attempt > ATTEMPTS) {
        const message = `${url.host} does not send the file to its end. Run the command again: it continues where it stopped`
        throw new UsageError(message, { cause: error })
      }
      await sleep(pause, undefined, { signal })
    }
  }
}

/** Codes of connections that never stood, with what they mean. */
const UNREACHABLE: Readonly<Record<string, string>> = {
  ENOTFOUND: 'there is no machine of this name. Check the address',
  EAI_AGAIN: 'names are not resolved on this machine. Check its network',
  ECONNREFUSED: 'nothing listens there. Check the address and the port',
  EHOSTUNREACH: 'there is no way to it. Check the network of this machine',
  ENETUNREACH: 'there is no way to it. Check the network of this machine',
  ETIMEDOUT: 'it does not respond. Check the network of this machine and its firewall',
  UND_ERR_CONNECT_TIMEOUT: 'it does not respond. Check the network of this machine and its firewall',
}

/** Why a connection never stood. @returns `undefined` for another error */
function whyUnreachable(error: unknown): { readonly why: string; readonly isFinal: boolean } | undefined {
  const codes = [error, error instanceof Error ? error.cause : undefined].map(errorCode)
  const code = codes.find((one) => one in UNREACHABLE)
  const mirror = 'A machine without the internet takes models from a --mirror'
  if (code !== undefined) return { why: `${UNREACHABLE[code]}. ${mirror}`, isFinal: code === 'ENOTFOUND' }
  const certificate = codes.find((one) => /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(one))
  if (certificate === undefined) return undefined
  return { why: `this machine does not trust its certificate (${certificate}). See NODE_EXTRA_CA_CERTS`, isFinal: true }
}

/** Most addresses that lead to another one. */
const MOST_REDIRECTS = 10

/** Requests a file and follows redirects, each only where the file may come from. @throws UsageError */
async function request(url: URL, init: RequestInit, isChecked: boolean): Promise<Response> {
  let at = url
  for (let hop = 0; hop <= MOST_REDIRECTS; hop += 1) {
    const response = await fetch(at, { ...init, redirect: 'manual' })
    const location = response.headers.get('location')
    if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return response
    await response.body?.cancel()
    if (!URL.canParse(location, at.href)) throw new UsageError(`${url.host} redirects to no address: check the address`)
    at = new URL(location, at)
    if (!/^https?:$/.test(at.protocol))
      throw new UsageError(`${url.host} redirects to ${at.protocol}: check the address`)
    if (needsChecksum(at) && !isChecked) {
      throw new UsageError(
        `${url.host} redirects to ${at.host}, which has no TLS: give the checksum of the file with --sha256, or another address`,
      )
    }
  }
  throw new UsageError(`${url.host} redirects again and again: check the address`)
}

/** Whether a file from an address can be changed on its way: without TLS, and from another machine. */
export function needsChecksum({ protocol, hostname }: URL): boolean {
  const isHere = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
  return protocol === 'http:' && !isHere
}

/** Fetches what is missing. Throws when the connection ends early. */
async function fetchRest(url: URL, path: string, options: DownloadOptions): Promise<void> {
  const { signal, onProgress, mostBytes = MOST_BYTES, bytes, isChecked = false } = options
  const tag = await readFile(`${path}.etag`, 'utf8').catch(() => '')
  const size = tag === '' ? 0 : await sizeOf(path)
  const quiet = new AbortController()
  const watch = setTimeout(() => quiet.abort(new Error('The server is silent')), SILENCE_MS)
  try {
    const headers = { 'accept-encoding': 'identity', ...(size > 0 ? { range: `bytes=${size}-`, 'if-range': tag } : {}) }
    const either = signal === undefined ? quiet.signal : AbortSignal.any([signal, quiet.signal])
    const response = await request(url, { headers, signal: either }, isChecked)
    if (isComplete(response, size)) {
      await response.body?.cancel()
      return
    }
    const resumes = response.status === 206 && startOf(response) === size
    if (!resumes && response.status !== 200) {
      await response.body?.cancel()
      if (response.status >= 500 || response.status === 429) throw new Error(`The server answered ${response.status}`)
      const message = `${url.host} answered ${response.status}: check the address`
      throw NO_SUCH_FILE.has(response.status) ? new NoSuchFileError(message) : new UsageError(message)
    }
    const { body } = response
    const start = resumes ? size : 0
    const rest = lengthOf(response)
    const total = rest === undefined ? undefined : start + rest
    if ((total ?? 0) > mostBytes) {
      await body?.cancel()
      throw new UsageError(`The file has ${total} bytes: at most ${mostBytes} are downloaded`)
    }
    if (bytes !== undefined && total !== undefined && total !== bytes) {
      await body?.cancel()
      throw new UsageError(`${url.host} has another file: it has ${total} bytes, and the catalogue has ${bytes}`)
    }
    await writeFile(`${path}.etag`, response.headers.get('etag') ?? '')
    let received = start
    const target = await open(path, resumes ? 'a' : 'w')
    try {
      // Every byte that has arrived is stored before the next one is read, so that a cut loses none.
      for await (const chunk of body ?? []) {
        received += chunk.length
        if (received > mostBytes) throw new UsageError(`The file has more than ${mostBytes} bytes`)
        await target.writeFile(chunk)
        watch.refresh()
        onProgress?.({ received, total })
      }
    } finally {
      await target.close()
    }
    if (total !== undefined && received !== total) throw new Error('The server sent less than it promised')
  } finally {
    clearTimeout(watch)
  }
}

/** The server has no byte behind those that are here. */
function isComplete(response: Response, size: number): boolean {
  return response.status === 416 && response.headers.get('content-range') === `bytes */${size}`
}

function startOf(response: Response): number | undefined {
  const start = /^bytes (?<start>\d+)-/.exec(response.headers.get('content-range') ?? '')?.groups?.['start']
  return start === undefined ? undefined : Number(start)
}

function lengthOf(response: Response): number | undefined {
  const length = response.headers.get('content-length')
  return length === null ? undefined : Number(length)
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}

/** Returns the SHA-256 of a file, in hexadecimal digits. */
export async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/** Removes a download, complete or not. */
export async function forgetDownload(path: string): Promise<void> {
  await Promise.all([rm(path, { force: true }), rm(`${path}.etag`, { force: true })])
}

/** Least time between two lines, in milliseconds. A terminal overwrites its line more often. */
const LINE_MS = 5000
const TERMINAL_MS = 200

/** Prints how far a download is: on a terminal in one line, elsewhere as a line now and then. */
export function progressLine(
  output: Pick<NodeJS.WritableStream, 'write'> & { readonly isTTY?: boolean },
  now: () => number = Date.now,
): (progress: DownloadProgress) => void {
  const isTerminal = output.isTTY === true
  let next = 0
  return ({ received, total }) => {
    const isEnd = received === total
    if (now() < next && !isEnd) return
    next = now() + (isTerminal ? TERMINAL_MS : LINE_MS)
    const share = total === undefined || total === 0 ? '' : `, ${Math.floor((100 * received) / total)} %`
    const of = total === undefined ? '' : ` of ${(total / 1e6).toFixed(1)}`
    const text = `${(received / 1e6).toFixed(1)}${of} MB${share}`
    output.write(isTerminal ? `\r\u001B[K${text}${isEnd ? '\n' : ''}` : `${text}\n`)
  }
}
