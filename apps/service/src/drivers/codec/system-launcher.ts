import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'

import { encodeWav } from '@svc-audio/core/audio'

import { decodeArguments } from './arguments.ts'
import { processOf } from './ffmpeg-process.ts'
import { childEnvironment, type Launcher, spawnPiped } from './launcher.ts'
import { confined, type Confinement, confinements, MAX_MEMORY_BYTES } from './limits.ts'
import { runFfmpeg } from './ffmpeg-process.ts'

const PROBE_TIMEOUT_MS = 10_000

/**
 * Finds an ffmpeg program by asking it for its encoders, and tests within which limits it works.
 *
 * @param program A path, or a name to be looked up on PATH.
 * @returns `undefined` when there is no such program, or when it does not answer as ffmpeg does.
 */
export async function findSystemFfmpeg(program: string): Promise<Launcher | undefined> {
  try {
    const version = /^ffmpeg version (\S+)/.exec(await ask(program, '-version'))?.[1]
    if (version === undefined) return undefined
    const encoders = parseEncoders(await ask(program, '-encoders'))
    return systemLauncher({ program, version, encoders, confinement: await strictest(program) })
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

/** Finds the strictest limits under which the program still decodes. Uses no limits when none work. */
async function strictest(program: string): Promise<Confinement> {
  for (const confinement of confinements())
    if (confinement === 'none' || (await decodes(confinement, program))) return confinement
  return 'none'
}

async function decodes(confinement: Confinement, program: string): Promise<boolean> {
  const child = processOf(spawnPiped(...confined(confinement, program, decodeArguments('pipe:0'))))
  const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS)
  let bytes = 0
  try {
    const run = { input: probe(), signal, timeoutSeconds: PROBE_TIMEOUT_MS / 1000 }
    for await (const chunk of runFfmpeg(child, run)) bytes += chunk.byteLength
  } catch {
    return false
  }
  return bytes > 0
}

/** A tenth of a second of silence. */
async function* probe(): AsyncGenerator<Uint8Array> {
  yield encodeWav({ sampleRate: 16_000, channels: 1, bitDepth: 16 }, [new Uint8Array(3200)])
}

interface Found {
  readonly program: string
  readonly version: string
  readonly encoders: ReadonlySet<string>
  readonly confinement: Confinement
}

function systemLauncher({ program, version, encoders, confinement }: Found): Launcher {
  return {
    kind: 'system',
    program,
    version,
    encoders,
    memoryBytes: confinement === 'memory' ? MAX_MEMORY_BYTES : undefined,
    // With `file:` a name cannot be mistaken for an option or another protocol.
    inputUrl: (path) => `file:${path}`,
    launch: ({ args }) => processOf(spawnPiped(...confined(confinement, program, args))),
    close: () => Promise.resolve(),
  }
}
