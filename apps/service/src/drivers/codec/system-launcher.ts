import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'

import { childEnvironment, type Launcher, spawnPiped } from './launcher.ts'

const PROBE_TIMEOUT_MS = 10_000

/**
 * Looks for an ffmpeg program by asking it for its encoders.
 *
 * @param program A path, or a name to be looked up on PATH.
 * @returns `undefined` when there is none, or when it does not answer as ffmpeg does.
 */
export async function findSystemFfmpeg(program: string): Promise<Launcher | undefined> {
  try {
    const version = /^ffmpeg version (\S+)/.exec(await ask(program, '-version'))?.[1]
    if (version === undefined) return undefined
    return systemLauncher(program, version, parseEncoders(await ask(program, '-encoders')))
  } catch {
    return undefined
  }
}

async function ask(program: string, question: string): Promise<string> {
  const { stdout } = await promisify(execFile)(program, ['-hide_banner', question], {
    cwd: tmpdir(),
    env: childEnvironment(),
    timeout: PROBE_TIMEOUT_MS,
    killSignal: 'SIGKILL',
    windowsHide: true,
  })
  return stdout
}

/** Names of the audio encoders in the output of `ffmpeg -encoders`: lines such as ` A....D libmp3lame  …`. */
export function parseEncoders(listing: string): ReadonlySet<string> {
  return new Set(Array.from(listing.matchAll(/^ A[A-Z.]{5} (\w+)/gm), ([, name]) => name ?? ''))
}

function systemLauncher(program: string, version: string, encoders: ReadonlySet<string>): Launcher {
  return {
    kind: 'system',
    program,
    version,
    encoders,
    // with `file:` a name cannot be taken for an option or for another protocol
    inputUrl: (path) => `file:${path}`,
    launch: ({ args }) => spawnPiped(program, args),
    close: () => Promise.resolve(),
  }
}
