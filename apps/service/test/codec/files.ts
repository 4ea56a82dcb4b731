import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder for the files of one test file. */
export class ScratchFolder {
  readonly path: string
  #count = 0

  private constructor(path: string) {
    this.path = path
  }

  static async create(): Promise<ScratchFolder> {
    return new ScratchFolder(await mkdtemp(join(tmpdir(), 'svc-audio-test-')))
  }

  /** Writes a file and returns its path. The name does not reveal the content. */
  async write(content: string | Uint8Array, name = `${(this.#count += 1)}.bin`): Promise<string> {
    const path = join(this.path, name)
    await writeFile(path, content)
    return path
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true })
  }
}
