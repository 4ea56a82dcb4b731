import { readFile } from 'node:fs/promises'

import type { FfmpegCore } from './core-types.ts'
import { MAX_MEMORY_BYTES } from './limits.ts'
import { limitWasmMemory } from './wasm-memory.ts'

/** Size of ffmpeg's stack, in bytes: the usual one of a Linux program. */
const STACK_BYTES = 8 * 1024 * 1024

/** ffmpeg, loaded and ready for any number of runs. */
export interface LoadedCore {
  readonly core: FfmpegCore
  /** Runs ffmpeg to its end, blocking. Returns its exit code. Throws when the code traps. */
  readonly exec: (args: readonly string[]) => number
}

/**
 * Loads ffmpeg's WebAssembly build into this process. It is GPL and blocks, so only a child process may call this,
 * never the service itself.
 */
export async function loadCore(): Promise<LoadedCore> {
  // The package is built for web workers: it reads these globals while it loads.
  Object.assign(globalThis, { self: globalThis, location: { href: 'file:///' }, importScripts: () => undefined })
  const [{ default: create }, wasmBinary, glue] = await Promise.all([
    import('@ffmpeg/core'),
    readFile(new URL(import.meta.resolve('@ffmpeg/core/wasm'))),
    readFile(new URL(import.meta.resolve('@ffmpeg/core')), 'utf8'),
  ])
  // Its build allows 2 GiB.
  limitWasmMemory(MAX_MEMORY_BYTES)
  const core = await create({ wasmBinary, locateFile: (path) => path })
  const resetStack = widenStack(core, glue)
  return {
    core,
    exec(args) {
      // Each run ends by an abort, which leaves some of the stack taken.
      resetStack()
      return core.exec(...args)
    },
  }
}

/**
 * Moves the stack to a larger place. The build has 64 KB without an overflow check, and its data lies right below.
 * libopus in stereo overruns it and destroys the heap; other deep code may too. The export that sets the stack pointer
 * has a short name that differs between builds, so the function reads the name from the package's JavaScript.
 *
 * @returns Empties the stack.
 */
function widenStack(core: FfmpegCore, glue: string): () => void {
  const name = /stackRestore=function\(\)\{return\(stackRestore=Module\["asm"\]\["(\w+)"\]/.exec(glue)?.[1]
  const setStackPointer = name === undefined ? undefined : core.asm[name]
  if (setStackPointer === undefined) throw new Error('unknown build: its stack pointer was not found')
  // Stacks grow downwards, in steps of 16 bytes.
  const { _malloc: allocate } = core
  const top = allocate(STACK_BYTES) + STACK_BYTES
  return () => void setStackPointer(top - (top % 16))
}
