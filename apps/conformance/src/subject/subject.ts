import { NotChecked } from '../outcomes.ts'
import { Api } from '../http/api.ts'
import type { Hook } from './hook.ts'

/** Options of {@link Subject}. */
export interface SubjectOptions {
  /** Address of the server, without `/v1`. */
  readonly baseUrl: string
  readonly key: string
  /** Key of another tenant, for the rules about tenants. */
  readonly secondKey?: string
  /** A deleted key. */
  readonly deletedKey?: string
  /** First word of the model ids. @default 'svc' */
  readonly word?: string
  /** Public address of an audio file with speech, for `url` as a source. */
  readonly audioUrl?: string
  /** Receiver of webhooks. */
  readonly hook?: Hook
  /** Allows uploads over 512 MB. @default false */
  readonly largeUploads?: boolean
  /** Sends no transcription, for a server without a recognizer. @default false */
  readonly quick?: boolean
  /** Deadline of one response or one task, in milliseconds. @default 120000 */
  readonly timeout?: number
}

/** The server under test and the shared fixtures of the checks. */
export class Subject {
  readonly options: SubjectOptions
  readonly api: Api
  readonly timeout: number
  readonly #files = new Set<string>()

  constructor(options: SubjectOptions) {
    const { baseUrl, key, timeout = 120_000 } = options
    this.options = options
    this.timeout = timeout
    this.api = new Api({ baseUrl: baseUrl.replace(/\/+$/, '').replace(/\/v1$/, ''), key, timeout })
  }

  /** Returns a model's id with the server's first word. */
  model(rest: string): string {
    return `${this.options.word ?? 'svc'}-${rest}`
  }

  /** Returns a required option. @throws NotChecked with the command-line option */
  need<Name extends keyof SubjectOptions>(name: Name, flag: string): NonNullable<SubjectOptions[Name]> {
    const value = this.options[name]
    if (value === undefined || value === null || value === false) throw new NotChecked(`needs ${flag}`)
    return value
  }

  /** @throws NotChecked in quick mode */
  needRecognizer(): void {
    if (this.options.quick === true) throw new NotChecked('needs a recognizer: run without --quick')
  }

  /** Registers a file for {@link cleanUp}. */
  keepInMind(fileId: string): void {
    this.#files.add(fileId)
  }

  /** Deletes the uploaded files. @returns Ids of the files that remain */
  async cleanUp(): Promise<string[]> {
    const left: string[] = []
    const remove = async (id: string): Promise<void> => {
      // A check may have deleted the file already. A file remains only if it can still be read.
      await this.api.send('DELETE', `/v1/files/${encodeURIComponent(id)}`).catch(() => undefined)
      const response = await this.api.send('GET', `/v1/files/${encodeURIComponent(id)}`).catch(() => undefined)
      if (response?.accepted ?? true) left.push(id)
    }
    await Promise.all([...this.#files].map(remove))
    this.#files.clear()
    return left
  }
}
