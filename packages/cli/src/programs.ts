import { spawn } from 'node:child_process'
import which from 'which'
import { drained, UsageError } from './terminal.ts'

/** Programs that play WAV from standard input while it arrives, in the order of preference. */
const PLAYERS: readonly (readonly [string, ...string[]])[] = [
  ['mpv', '--no-video', '--really-quiet', '-'],
  ['ffplay', '-nodisp', '-autoexit', '-loglevel', 'error', '-i', 'pipe:0'],
  ['play', '-q', '-t', 'wav', '-'],
  ['aplay', '-q', '-'],
]

/** A program that plays: its path, and its arguments. */
export type Player = readonly [path: string, args: readonly string[]]

/**
 * Plays WAV while it arrives. Resolves when it was heard.
 * @throws UsageError if the player fails
 */
export async function playWav(
  [path, args]: Player,
  wav: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const child = spawn(path, args, { stdio: ['pipe', 'ignore', 'pipe'], signal, windowsHide: true })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-300)))
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>()
  child.once('error', reject)
  child.once('close', (code) => {
    if (code === 0) resolve()
    else
      reject(
        new UsageError(
          `${path} could not play: ${said.trim() || `code ${code ?? 'of a signal'}`}. Write a file with --out`,
        ),
      )
  })
  // A player that ends early ends the pipe: its own error tells why.
  child.stdin.on('error', () => {})
  const fed = (async () => {
    for await (const chunk of wav) {
      if (child.stdin.destroyed) return
      if (!child.stdin.write(chunk)) await drained(child.stdin)
    }
    child.stdin.end()
  })()
  try {
    await Promise.all([fed, ended])
  } catch (error) {
    signal.throwIfAborted()
    child.kill()
    throw error
  }
}

/** @throws UsageError without a program that plays */
export async function findPlayer(env: Readonly<Record<string, string | undefined>>): Promise<Player> {
  for (const [program, ...args] of PLAYERS) {
    const path = await which(program, { path: env['PATH'] ?? '', nothrow: true })
    if (path !== null) return [path, args]
  }
  const names = PLAYERS.map(([program]) => program).join(', ')
  throw new UsageError(`No program that plays: install one of ${names}, or write a file with --out speech.wav`)
}
