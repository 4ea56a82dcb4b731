import { FfmpegCodec, type FfmpegCodecOptions } from '../../src/drivers/codec/ffmpeg-codec.ts'
import type { FfmpegProcess } from '../../src/drivers/codec/ffmpeg-process.ts'
import type { Launcher } from '../../src/drivers/codec/launcher.ts'
import { findSystemFfmpeg } from '../../src/drivers/codec/system-launcher.ts'
import { findWasmFfmpeg } from '../../src/drivers/codec/wasm-launcher.ts'

/** A launcher and the runs that it has started. */
export interface WatchedLauncher {
  readonly launcher: Launcher
  readonly children: FfmpegProcess[]
}

/** Every launcher on this machine: always the WebAssembly build, and ffmpeg from the PATH if present. */
export async function presentLaunchers(): Promise<readonly [string, Launcher][]> {
  const wasm = findWasmFfmpeg({ idleLifetime: 0 })
  if (wasm === undefined) throw new Error('@ffmpeg/core must be installed to run these tests')
  const system = await findSystemFfmpeg('ffmpeg')
  return [['wasm', wasm], ...(system === undefined ? [] : [['system', system] as [string, Launcher]])]
}

/** The same launcher, which records its runs. */
export function watched(launcher: Launcher): WatchedLauncher {
  const children: FfmpegProcess[] = []
  return {
    children,
    launcher: {
      kind: launcher.kind,
      program: launcher.program,
      version: launcher.version,
      encoders: launcher.encoders,
      memoryBytes: launcher.memoryBytes,
      inputUrl: (path) => launcher.inputUrl(path),
      launch: (request) => {
        const child = launcher.launch(request)
        children.push(child)
        return child
      },
      close: () => launcher.close(),
    },
  }
}

/** A codec over one launcher. Tests do not reach its limits unless they set them. */
export function codecOver(
  launcher: Launcher | undefined,
  limits: Partial<Omit<FfmpegCodecOptions, 'launcher'>> = {},
): FfmpegCodec {
  return new FfmpegCodec({ launcher, timeoutSeconds: 120, maxProcesses: 2, maxAudioSeconds: 86_400, ...limits })
}
