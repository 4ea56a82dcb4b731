import { readFile } from 'node:fs/promises'

import type { FfmpegCore } from './core-types.ts'
import { MAX_MEMORY_BYTES } from './limits.ts'
import { limitWasmMemory } from './wasm-memory.ts'

/** Stack that ffmpeg runs on, in bytes: what a program has on Linux. */
const STACK_BYTES = 8 * 1024 * 1024

/**
 * Loads ffmpeg's WebAssembly build into this process. It is GPL and runs synchronously, so only a child process of
 * ours may call this, never the service itself.
 */
export async function loadCore(): Promise<FfmpegCore> {
  // The package is built for web workers: it reads these globals of theirs while it loads.
  Object.assign(globalThis, { self: globalThis, location: { href: 'file:///' }, importScripts: () => undefined })
  const [{ default: create }, wasmBinary, glue] = await Promise.all([
    import('@ffmpeg/core'),
    readFile(new URL(import.meta.resolve('@ffmpeg/core/wasm'))),
    readFile(new URL(import.meta.resolve('@ffmpeg/core')), 'utf8'),
  ])
  // its build allows 2 GiB
  limitWasmMemory(MAX_MEMORY_BYTES)
  const core = await create({ wasmBinary, locateFile: (path) => path })
  widenStack(core, glue)
  return core
}

/**
 * Moves the stack to a larger place. The build has 64 KB, with its data right below and no check: libopus in stereo
 * overruns it and destroys the heap, and so may whatever else is deep. The export that sets the stack pointer has a
 * short name that differs from build to build; the JavaScript part of the package tells it.
 */
function widenStack(core: FfmpegCore, glue: string): void {
  const name = /stackRestore=function\(\)\{return\(stackRestore=Module\["asm"\]\["(\w+)"\]/.exec(glue)?.[1]
  const setStackPointer = name === undefined ? undefined : core.asm[name]
  if (setStackPointer === undefined) throw new Error('its stack cannot be widened: unknown build')
  // Stacks grow downwards, in steps of 16 bytes.
  const { _malloc: allocate } = core
  const top = allocate(STACK_BYTES) + STACK_BYTES
  setStackPointer(top - (top % 16))
}
