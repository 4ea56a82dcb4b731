import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { ENCODERS } from './arguments.ts'
import { childExit } from './child-exit.ts'
import { type Launcher, type LaunchRequest, spawnPiped } from './launcher.ts'
import { MAX_MEMORY_BYTES } from './limits.ts'
import { encodeRequest, WASM_INPUT_PATH } from './wasm-request.ts'

/** The optional package with ffmpeg's WebAssembly build. */
export const WASM_PACKAGE = '@ffmpeg/core'

/** The child's program. It stands beside this file, compiled or not. */
const PROGRAM = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './wasm-ffmpeg.ts' : './wasm-ffmpeg.js', import.meta.url),
)

/**
 * Node's arguments for the child. JavaScript needs little memory; ffmpeg has its own, at most {@link MAX_MEMORY_BYTES}.
 * The child may read files, but may not write files or start programs. ffmpeg's own code sees the input file only.
 */
const NODE_ARGUMENTS = ['--max-old-space-size=256', '--permission', '--allow-fs-read=*', '--no-warnings', PROGRAM]

/** Delay before a spare child replaces a used one, in milliseconds. The used one gets the processor first. */
const REFILL_DELAY_MS = 500

/** Idle time before a spare child exits, in milliseconds. */
const SPARE_LIFETIME_MS = 60_000

/** Options of {@link findWasmFfmpeg}. */
export interface WasmFfmpegOptions {
  /**
   * Time that one child stays loaded after the start and after each use, in milliseconds. It saves a start-up of a
   * fifth of a second and costs about 130 MB of memory. It does not keep this process alive. 0 disables it.
   * @default 60000
   */
  readonly spareLifetime?: number
}

/**
 * Finds the optional package {@link WASM_PACKAGE}. Never loads it into this process.
 * @returns `undefined` when it is not installed.
 */
export function findWasmFfmpeg({ spareLifetime = SPARE_LIFETIME_MS }: WasmFfmpegOptions = {}): Launcher | undefined {
  try {
    const binary = createRequire(import.meta.url).resolve(`${WASM_PACKAGE}/wasm`)
    return new WasmLauncher(readVersion(binary), spareLifetime)
  } catch {
    return undefined
  }
}

function readVersion(binary: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(dirname(binary), '../../package.json'), 'utf8'))
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : ''
}

class WasmLauncher implements Launcher {
  readonly kind = 'wasm'
  readonly program: string = WASM_PACKAGE
  readonly version: string
  readonly encoders: ReadonlySet<string> = new Set(Object.values(ENCODERS))
  readonly memoryBytes: number = MAX_MEMORY_BYTES
  readonly #spareLifetime: number
  #spare: ChildProcessWithoutNullStreams | undefined
  #refill: NodeJS.Timeout | undefined
  #dismissal: NodeJS.Timeout | undefined
  #closed = false

  constructor(version: string, spareLifetime: number) {
    this.version = version
    this.#spareLifetime = spareLifetime
    this.#fill()
  }

  inputUrl(): string {
    return `file:${WASM_INPUT_PATH}`
  }

  launch(request: LaunchRequest): ChildProcessWithoutNullStreams {
    const child = this.#takeSpare() ?? startChild()
    child.stdin.write(encodeRequest(request))
    this.#refill ??= setTimeout(() => this.#fill(), REFILL_DELAY_MS).unref()
    return child
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#refill)
    const spare = this.#takeSpare()
    if (spare === undefined) return
    spare.kill('SIGKILL')
    await childExit(spare)
  }

  #fill(): void {
    this.#refill = undefined
    if (this.#spareLifetime === 0 || this.#closed || this.#spare !== undefined) return
    const child = startSpare()
    if (child === undefined) return
    const forget = (): void => {
      if (this.#spare === child) this.#spare = undefined
    }
    child.once('exit', forget).once('error', forget)
    hold(child, false)
    this.#spare = child
    this.#dismissal = setTimeout(() => this.#takeSpare()?.kill('SIGKILL'), this.#spareLifetime).unref()
  }

  #takeSpare(): ChildProcessWithoutNullStreams | undefined {
    const child = this.#spare
    this.#spare = undefined
    clearTimeout(this.#dismissal)
    if (child !== undefined) hold(child, true)
    return child
  }
}

function startChild(): ChildProcessWithoutNullStreams {
  return spawnPiped(process.execPath, NODE_ARGUMENTS)
}

/** A failed start of a spare is ignored: a later start may succeed. */
function startSpare(): ChildProcessWithoutNullStreams | undefined {
  try {
    return startChild()
  } catch {
    return undefined
  }
}

/** Sets whether the child and its pipes keep this process alive. */
function hold(child: ChildProcessWithoutNullStreams, held: boolean): void {
  for (const handle of [child, child.stdin, child.stdout, child.stderr]) {
    if (handle === child || handle instanceof Socket) {
      if (held) handle.ref()
      else handle.unref()
    }
  }
}
