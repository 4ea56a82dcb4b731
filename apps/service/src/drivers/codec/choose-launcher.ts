import { CodecUnavailableError } from '@svc-audio/engine-ports'
import { ENCODERS } from './arguments.ts'
import type { Launcher } from './launcher.ts'
import { findSystemFfmpeg } from './system-launcher.ts'
import { findWasmFfmpeg, WASM_PACKAGE } from './wasm-launcher.ts'

/** The operator's remedy for a missing ffmpeg. */
export const REMEDY: string = `install ffmpeg so that it is on PATH, or the optional npm package ${WASM_PACKAGE}`

/**
 * Finds an ffmpeg. `auto` prefers the system's program, which is the fastest. If that program lacks a needed encoder,
 * `auto` prefers the WebAssembly build, which has every encoder.
 *
 * @param choice `auto`, `wasm`, or the path of a program.
 * @returns `undefined` when `auto` finds nothing.
 * @throws CodecUnavailableError when the chosen one is missing or does not work.
 */
export async function chooseLauncher(choice: string): Promise<Launcher | undefined> {
  if (choice === 'wasm') {
    const wasm = findWasmFfmpeg()
    if (wasm === undefined) throw new CodecUnavailableError(`${WASM_PACKAGE} is not installed: ${REMEDY}`)
    return wasm
  }
  const system = await findSystemFfmpeg(choice === 'auto' ? 'ffmpeg' : choice)
  if (choice !== 'auto') {
    if (system === undefined) throw new CodecUnavailableError(`${choice} is not a working ffmpeg: ${REMEDY}`)
    return system
  }
  return system !== undefined && isComplete(system) ? system : (findWasmFfmpeg() ?? system)
}

/** Finds the program on PATH, if it has every encoder that is needed. */
export async function findCompleteFfmpeg(): Promise<Launcher | undefined> {
  const system = await findSystemFfmpeg('ffmpeg')
  return system !== undefined && isComplete(system) ? system : undefined
}

function isComplete(launcher: Launcher): boolean {
  return Object.values(ENCODERS).every((encoder) => launcher.encoders.has(encoder))
}
