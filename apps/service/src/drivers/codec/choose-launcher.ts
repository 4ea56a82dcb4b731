import { CodecUnavailableError } from '../../ports/codec.ts'
import { ENCODERS } from './arguments.ts'
import type { Launcher } from './launcher.ts'
import { findSystemFfmpeg } from './system-launcher.ts'
import { findWasmFfmpeg, WASM_PACKAGE } from './wasm-launcher.ts'

/** What the operator can do when there is no ffmpeg. */
export const REMEDY: string = `install ffmpeg so that it is on PATH, or the optional npm package ${WASM_PACKAGE}`

/**
 * Finds the ffmpeg to work with. `auto` prefers the system's own, which is the fastest; one that lacks an encoder we
 * need stands back behind the WebAssembly build, which has them all.
 *
 * @param choice `auto`, `wasm`, or the path of a program.
 * @returns `undefined` when `auto` finds nothing.
 * @throws CodecUnavailableError when the one that was asked for is not there.
 */
export async function chooseLauncher(choice: string): Promise<Launcher | undefined> {
  if (choice === 'wasm') {
    const wasm = findWasmFfmpeg()
    if (wasm === undefined) throw new CodecUnavailableError(`${WASM_PACKAGE} is not installed: ${REMEDY}`)
    return wasm
  }
  const system = await findSystemFfmpeg(choice === 'auto' ? 'ffmpeg' : choice)
  if (choice !== 'auto') {
    if (system === undefined) throw new CodecUnavailableError(`${choice} is no working ffmpeg: ${REMEDY}`)
    return system
  }
  return system !== undefined && isComplete(system) ? system : (findWasmFfmpeg() ?? system)
}

function isComplete(launcher: Launcher): boolean {
  return Object.values(ENCODERS).every((encoder) => launcher.encoders.has(encoder))
}
