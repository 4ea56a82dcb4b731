import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { storedAudio } from '@svc-audio/kit/engine-fixtures/stored-audio.ts'

import { collect } from './sound.ts'

const CHILD = fileURLToPath(new URL('./transcode-child.ts', import.meta.url))

/** Its address holds its version. */
const PROGRAM = import.meta.resolve('@ffmpeg/core/wasm')

/**
 * Converts PCM to a file with ffmpeg.
 * @param args ffmpeg's arguments, separated by spaces, including the output's name, e.g. `-c:a alac out.m4a`.
 * @param inputs Arguments for an input other than 22 050 Hz mono.
 */
export async function transcode(pcm: Buffer, args: string, inputs = '-f s16le -ar 22050 -ac 1'): Promise<Buffer> {
  const command = [...inputs.split(' '), '-i', 'pipe:0', ...args.split(' ')]
  return storedAudio([PROGRAM, ...command, pcm], () => runFfmpeg(pcm, command))
}

async function runFfmpeg(pcm: Buffer, command: readonly string[]): Promise<Buffer> {
  const child = spawn(process.execPath, ['--no-warnings', CHILD, ...command], { stdio: ['pipe', 'pipe', 'pipe'] })
  const exit = once(child, 'close')
  child.stdin.end(pcm)
  const [file, complaint] = await Promise.all([collect(child.stdout), collect(child.stderr)])
  const [code] = await exit
  if (code !== 0) throw new Error(`ffmpeg failed: ${complaint.toString()}`)
  return file
}
