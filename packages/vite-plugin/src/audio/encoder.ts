import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readAigc } from '@svc-audio/core/adapter'
import type { NarrationFormat } from './formats.ts'

/**
 * Encodes the audio of a page.
 * @param wav The whole page as WAV.
 * @param format Format of the result.
 */
export type Encode = (wav: Uint8Array, format: NarrationFormat) => Promise<Uint8Array>

/** Output arguments of ffmpeg for each format. */
const FFMPEG_ARGS: Readonly<Record<Exclude<NarrationFormat, 'wav'>, readonly string[]>> = {
  mp3: ['-c:a', 'libmp3lame', '-q:a', '4', '-f', 'mp3'],
  opus: ['-c:a', 'libopus', '-b:a', '32k', '-f', 'ogg'],
  flac: ['-c:a', 'flac', '-f', 'flac'],
  aac: ['-c:a', 'aac', '-b:a', '64k', '-f', 'adts'],
}

/** Runs ffmpeg from PATH, as a separate program. Copies the AIGC marking of the WAV into the file. */
export async function ffmpeg(wav: Uint8Array, format: NarrationFormat): Promise<Uint8Array> {
  // WAV needs no encoding, and ffmpeg would drop the marking.
  if (format === 'wav') return wav
  // Write to a file: ffmpeg writes the length of FLAC only to a seekable output.
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-encode-'))
  try {
    const output = join(folder, `page.${format}`)
    const marking = readAigc(wav)
    const metadata = marking === undefined ? [] : ['-metadata', `AIGC=${marking}`]
    const tag = format === 'aac' && marking !== undefined ? ['-write_id3v2', '1'] : []
    const args = ['-hide_banner', '-loglevel', 'error', '-f', 'wav', '-i', 'pipe:0']
    await run('ffmpeg', [...args, ...metadata, ...FFMPEG_ARGS[format], ...tag, output], wav)
    return await readFile(output)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

let isThere: Promise<void> | undefined

/**
 * Checks that ffmpeg runs, once per process.
 * @throws EncoderError when it does not
 */
export async function checkFfmpeg(): Promise<void> {
  isThere ??= run('ffmpeg', ['-version'], new Uint8Array())
  try {
    await isThere
  } catch (error) {
    // Check again next time: the user may install it while a dev server runs.
    isThere = undefined
    throw toEncoderError(error)
  }
}

/**
 * Encodes a page.
 * @throws EncoderError when the encoder fails or returns no bytes
 */
export async function runEncoder(encode: Encode, wav: Uint8Array, format: NarrationFormat): Promise<Uint8Array> {
  try {
    const audio = await encode(wav, format)
    if (audio instanceof Uint8Array && audio.byteLength > 0) return audio
  } catch (error) {
    throw toEncoderError(error)
  }
  throw new EncoderError(`it returned no ${format} audio. Check its arguments and its log`)
}

/** The encoder of a page failed. The segments stay in the cache, so the next build makes no call for them. */
export class EncoderError extends Error {
  override readonly name = 'EncoderError' as const

  constructor(reason: string, options?: ErrorOptions) {
    super(`The encoder failed: ${reason}`, options)
  }
}

function toEncoderError(error: unknown): EncoderError {
  return new EncoderError(error instanceof Error ? error.message : String(error), { cause: error })
}

function run(program: string, args: readonly string[], input: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'pipe'] })
    const messages: Buffer[] = []
    child.stderr.on('data', (data: Buffer) => messages.push(data))
    child.once('error', () =>
      reject(new Error(`${program} cannot be run. Install it on PATH, or remove the option encoder: '${program}'`)),
    )
    // A program that exits before reading its input prints the reason on stderr.
    child.stdin.on('error', () => undefined)
    child.once('close', (code) => {
      if (code === 0) resolve()
      else
        reject(
          new Error(`${program} ended with ${code}: ${Buffer.concat(messages).toString('utf8').trim().slice(0, 500)}`),
        )
    })
    child.stdin.end(input)
  })
}
