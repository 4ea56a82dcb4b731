import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import type { AudioFormat } from '@svc-audio/engine-ports'
import { ENCODERS } from './arguments.ts'
import type { FfmpegProcess } from './ffmpeg-process.ts'

/** One run of ffmpeg. */
export interface LaunchRequest {
  readonly args: readonly string[]
  /** Absolute path of the input file. `args` names it by {@link Launcher.inputUrl}. */
  readonly inputFile?: string
}

/** Runs ffmpeg in child processes. Every launcher takes the same arguments. */
export interface Launcher {
  readonly kind: 'system' | 'wasm'
  /** The program or package, for diagnostics. */
  readonly program: string
  readonly version: string
  /** Audio encoders that are compiled in, by their names in `ffmpeg -encoders`. */
  readonly encoders: ReadonlySet<string>
  /** Memory limit of one process, in bytes; `undefined` where the system does not limit it. */
  readonly memoryBytes: number | undefined
  /** Formats the name of a file on this machine for ffmpeg's arguments. */
  inputUrl(path: string): string
  /** Starts ffmpeg. The exit reports a program that cannot be started. */
  launch(request: LaunchRequest): FfmpegProcess
  /** Ends idle processes. The caller of `launch` ends running ones. */
  close(): Promise<void>
}

/** What the codec uses, for logs and diagnostics. */
export interface CodecDescription {
  /** `none`: found neither an ffmpeg program nor the package. */
  readonly launcher: Launcher['kind'] | 'none'
  /** The program or package, and its version. */
  readonly program?: string
  readonly version?: string
  /** Formats that this codec writes. */
  readonly formats: readonly AudioFormat[]
  /** Whether the codec reads files. */
  readonly decodes: boolean
  /** Memory limit of one ffmpeg, in bytes; left out where this machine does not limit it. */
  readonly memoryBytes?: number
}

/** Describes the codec over a launcher. */
export function describeCodec(launcher: Launcher | undefined): CodecDescription {
  if (launcher === undefined) return { launcher: 'none', formats: ['wav', 'pcm'], decodes: false }
  const { kind, program, version, encoders, memoryBytes } = launcher
  const compressed = (['mp3', 'opus', 'flac', 'aac'] as const).filter((format) => encoders.has(ENCODERS[format]))
  return {
    launcher: kind,
    program,
    version,
    formats: [...compressed, 'wav', 'pcm'],
    decodes: true,
    ...(memoryBytes !== undefined && { memoryBytes }),
  }
}

/**
 * The only environment variables of a child. None of them carries a secret or changes what the child does (as
 * `NODE_OPTIONS`, `FFREPORT` and proxies would).
 */
export function childEnvironment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot } = process.env
  return { ...(PATH !== undefined && { PATH }), ...(SystemRoot !== undefined && { SystemRoot }) }
}

/**
 * Starts a program with pipes for its standard input, output and error. A failed start, or a pipe that breaks because
 * the program ended early, never becomes an uncaught error. The child's exit reports it.
 *
 * @throws Error when no file descriptor is free for the pipes.
 */
export function spawnPiped(program: string, args: readonly string[]): ChildProcessWithoutNullStreams {
  const child = spawn(program, args, { cwd: tmpdir(), env: childEnvironment(), stdio: 'pipe', windowsHide: true })
  child.on('error', () => undefined)
  for (const pipe of [child.stdin, child.stdout, child.stderr]) {
    // Without free descriptors Node makes no pipes, contrary to its types.
    if ((pipe as typeof pipe | undefined) === undefined)
      throw new Error('ffmpeg cannot be started: too many open files')
    pipe.on('error', () => undefined)
  }
  return child
}
