import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Program } from '../program.ts'
import { responseOf, call } from './call.ts'
import { Write, type WriteTerms } from './write.ts'

/** A file as the service shows it. */
interface SeenFile {
  readonly id: string
  readonly bytes: number
  readonly filename: string
}

/** An upload to `POST /v1/files`. */
export class FileWrite extends Write {
  readonly kind = 'file'
  readonly content: Uint8Array<ArrayBuffer>
  id = ''

  constructor(terms: WriteTerms, content: Uint8Array<ArrayBuffer>) {
    super(terms)
    this.content = content
  }

  protected async send(program: Program): Promise<void> {
    const body = new FormData()
    body.append('purpose', 'audio')
    body.append('file', new Blob([this.content]), this.key)
    const { id } = await responseOf<SeenFile>(await call(program, this, { path: '/v1/files', body }), this.key)
    if (this.acknowledged && id !== this.id) throw new Error(`${this.key} has two files`)
    this.id = id
  }

  async look(program: Program): Promise<void> {
    const response = await call(program, this, { path: `/v1/files/${this.id}` })
    if (this.doomed && response.status === 404) return
    await this.check(program, await responseOf<SeenFile>(response, this.key))
  }

  async settle(program: Program): Promise<string> {
    await this.begin(program)
    await this.look(program)
    return 'stored'
  }

  /** Compares a file of the service with its stored bytes. @throws Error when they differ */
  async check({ dataDir }: Program, { id, bytes }: SeenFile): Promise<void> {
    const stored = await readFile(join(dataDir, 'files', id)).catch(() => undefined)
    if (stored === undefined && this.doomed) return
    if (bytes === this.content.byteLength && stored !== undefined && hash(stored) === hash(this.content)) return
    throw new Error(
      `${this.key} has ${stored?.byteLength} bytes instead of ${this.content.byteLength}, or other content`,
    )
  }
}

function hash(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** Lists a tenant's files, and checks each one, acknowledged or not. */
export async function checkFileList(program: Program, terms: WriteTerms, files: readonly FileWrite[]): Promise<void> {
  const response = await call(program, terms, { path: '/v1/files?limit=200' })
  const names = new Map(files.map((file) => [file.key, file]))
  const { data } = await responseOf<{ readonly data: readonly SeenFile[] }>(response, 'files')
  if (new Set(data.map(({ filename }) => filename)).size !== data.length)
    throw new Error('Two files have the same name')
  for (const seen of data) {
    const file = names.get(seen.filename)
    if (file === undefined) throw new Error(`${seen.filename} exists without a write`)
    await file.check(program, seen)
  }
}
