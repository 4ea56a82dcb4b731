import type { AudioFormat } from '@svc-audio/engine-ports'
import { ENCODERS } from './arguments.ts'
import type { Launcher } from './launcher.ts'

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
