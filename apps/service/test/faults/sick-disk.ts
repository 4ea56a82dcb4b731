import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const SOURCE = fileURLToPath(new URL('sick-disk.c', import.meta.url))

/** A disk whose syncs are slow or fail, for a process that is started with its environment. Linux, with a C compiler. */
export class SickDisk {
  /** Variables of the process. */
  readonly environment: Readonly<Record<string, string>>
  readonly #control: string

  private constructor(library: string, control: string) {
    this.environment = { LD_PRELOAD: library, SICK_DISK: control }
    this.#control = control
  }

  /** Compiles the library into a folder. The disk is healthy. */
  static async build(folder: string): Promise<SickDisk> {
    const library = join(folder, 'sick-disk.so')
    await promisify(execFile)('cc', ['-shared', '-fPIC', '-O1', '-o', library, SOURCE, '-ldl'])
    return new SickDisk(library, join(folder, 'sick-disk'))
  }

  /** Each sync takes that long. */
  async slow(milliseconds: number): Promise<void> {
    await writeFile(this.#control, String(milliseconds))
  }

  /** Each sync fails with EIO. */
  async fail(): Promise<void> {
    await writeFile(this.#control, 'fail')
  }

  async heal(): Promise<void> {
    await rm(this.#control, { force: true })
  }
}
