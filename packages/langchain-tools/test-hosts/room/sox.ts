import { spawn } from 'node:child_process'
import { buffer, text } from 'node:stream/consumers'

/** Samples of the room's format without a head, as sox names them. */
export const RAW: readonly string[] = ['-t', 'raw', '-r', '16000', '-c', '1', '-b', '16', '-e', 'signed']

/**
 * Runs sox.
 * @param input What it reads: files, `-` for `stdin`, or `-n` for nothing.
 * @returns PCM of the room's format
 */
export async function sox(
  input: readonly string[],
  effects: readonly string[],
  stdin: Uint8Array = new Uint8Array(),
): Promise<Uint8Array> {
  // `-R` makes the noise the same at each run.
  const program = spawn('sox', ['-R', ...input, ...RAW, '-', ...effects])
  const { promise: ended, resolve, reject } = Promise.withResolvers<number | null>()
  program.once('error', (error: NodeJS.ErrnoException) => {
    const isMissing = error.code === 'ENOENT'
    reject(isMissing ? new Error('The sounds of the room need sox. Install it (Debian: apt-get install sox)') : error)
  })
  program.once('close', resolve)
  // It may end without having read everything.
  program.stdin.on('error', () => {})
  program.stdin.end(stdin)
  const [code, pcm, complaint] = await Promise.all([ended, buffer(program.stdout), text(program.stderr)])
  if (code !== 0) throw new Error(`sox ended with ${code}: ${complaint}`)
  return pcm
}
