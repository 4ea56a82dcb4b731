import { execFile } from 'node:child_process'
import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const SOURCE = fileURLToPath(new URL('sick-machine.c', import.meta.url))

/** What is wrong with a machine. */
export interface Sickness {
  /** Time of each sync of a file, in milliseconds. */
  readonly syncMs?: number
  /** Each sync fails with EIO. */
  readonly syncFails?: boolean
  /** How far the wall clock is off. */
  readonly clockSeconds?: number
}

/** A machine for a process that starts with its environment. It needs Linux and a C compiler. */
export class SickMachine {
  /** Variables of the process. */
  readonly environment: Readonly<Record<string, string>>
  readonly #control: string

  private constructor(library: string, control: string) {
    this.environment = { LD_PRELOAD: library, SICK_MACHINE: control }
    this.#control = control
  }

  /** Compiles the library into a folder. The machine is healthy. */
  static async build(folder: string): Promise<SickMachine> {
    const library = join(folder, 'sick-machine.so')
    const control = join(folder, 'sick-machine')
    await promisify(execFile)('cc', ['-shared', '-fPIC', '-O1', '-o', library, SOURCE, '-ldl'])
    await writeFile(control, Buffer.alloc(24))
    return new SickMachine(library, control)
  }

  /** Applies to the running process. What is not named is healthy. */
  async become({ syncMs = 0, syncFails = false, clockSeconds = 0 }: Sickness = {}): Promise<void> {
    const told = BigInt64Array.of(BigInt(syncMs), BigInt(syncFails), BigInt(clockSeconds))
    // In place: the process shares the pages of this file.
    const file = await open(this.#control, 'r+')
    try {
      await file.write(new Uint8Array(told.buffer), 0, told.byteLength, 0)
    } finally {
      await file.close()
    }
  }
}
