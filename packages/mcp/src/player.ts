import { spawn } from 'node:child_process'
import { basename } from 'node:path'
import which from 'which'

/** Plays audio on this machine. */
export interface AudioPlayer {
  /** Name for people, e.g. `pw-play`. */
  readonly name: string
  /**
   * Plays a file to its end.
   * @throws Error if it could not be played, or the signal's reason
   */
  play(path: string, signal: AbortSignal): Promise<void>
}

/** Programs with the arguments before the file, in the order of preference. */
const PROGRAMS: Readonly<Partial<Record<NodeJS.Platform, readonly (readonly [string, ...string[]])[]>>> = {
  darwin: [['afplay']],
  linux: [
    ['pw-play'],
    ['paplay'],
    ['mpv', '--no-video', '--really-quiet', '--'],
    ['ffplay', '-nodisp', '-autoexit', '-loglevel', 'error', '-i'],
    ['play', '-q'],
    ['aplay', '-q', '--'],
  ],
}

/** The path comes by the environment: nothing of it is read as a command. */
const POWERSHELL = '(New-Object Media.SoundPlayer $env:SVC_AUDIO_FILE).PlaySync()'

/** The first known player of this machine. `undefined` if there is none. */
export async function findPlayer(
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): Promise<AudioPlayer | undefined> {
  if (platform === 'win32') {
    return programPlayer('powershell', ['-NoProfile', '-NonInteractive', '-Command', POWERSHELL], 'environment')
  }
  for (const [program, ...args] of PROGRAMS[platform] ?? []) {
    const path = await which(program, { path: env['PATH'] ?? '', nothrow: true })
    if (path !== null) return programPlayer(path, args)
  }
  return undefined
}

/**
 * A player that runs a program.
 * @param place How the program gets the file: as its last argument, or as `SVC_AUDIO_FILE`.
 */
export function programPlayer(
  program: string,
  args: readonly string[],
  place: 'argument' | 'environment' = 'argument',
): AudioPlayer {
  const name = basename(program)
  return {
    name,
    async play(path, signal) {
      signal.throwIfAborted()
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const given = place === 'argument' ? [...args, path] : [...args]
      // Standard output belongs to the protocol.
      const child = spawn(program, given, {
        stdio: ['ignore', 'ignore', 'pipe'],
        signal,
        windowsHide: true,
        ...(place === 'environment' ? { env: { ...process.env, SVC_AUDIO_FILE: path } } : {}),
      })
      let said = ''
      child.stderr.on('data', (chunk: Buffer) => {
        said = (said + chunk.toString()).slice(-500)
      })
      child.once('error', reject)
      child.once('close', (code) => {
        if (code === 0) resolve()
        else reject(new Error(`${name} ended with ${code ?? 'a signal'}: ${said.trim()}`))
      })
      try {
        await promise
      } catch (error) {
        signal.throwIfAborted()
        throw error
      }
    },
  }
}
