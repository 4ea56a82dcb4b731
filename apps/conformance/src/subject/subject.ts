import { NotChecked } from '../check.ts'
import { Api } from '../http/api.ts'
import type { Hook } from './hook.ts'

/** Options of {@link Subject}. */
export interface SubjectOptions {
  /** Address of the server; `/v1` is added to it. */
  readonly baseUrl: string
  readonly key: string
  /** Key of another tenant, for the rules that keep tenants apart. */
  readonly secondKey?: string
  /** A key that was valid once. */
  readonly deletedKey?: string
  /** What the ids of models begin with. @default 'svc' */
  readonly word?: string
  /** Public address of an audio file with speech, for the rules of `url` as a source. */
  readonly audioUrl?: string
  /** Where webhooks can reach this machine. */
  readonly hook?: Hook
  /** Whether uploads beyond 512 MB may be tried. @default false */
  readonly largeUploads?: boolean
  /** Longest that one answer, or one task, may take, in milliseconds. @default 120000 */
  readonly timeout?: number
}

/** The server under test, and what the checks share of what they asked it. */
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

  /** A model's id as this server spells it. */
  model(rest: string): string {
    return `${this.options.word ?? 'svc'}-${rest}`
  }

  /** An option that a check cannot do without. @throws NotChecked naming the command's option for it */
  need<Name extends keyof SubjectOptions>(name: Name, flag: string): NonNullable<SubjectOptions[Name]> {
    const value = this.options[name]
    if (value === undefined || value === null || value === false) throw new NotChecked(`needs ${flag}`)
    return value
  }

  /** Remembers a file that {@link cleanUp} is to delete. */
  keepInMind(fileId: string): void {
    this.#files.add(fileId)
  }

  /** Deletes the files that the checks uploaded. @returns Ids of those that are still there */
  async cleanUp(): Promise<string[]> {
    const left: string[] = []
    for (const id of this.#files) {
      // A check may have deleted it already, so that only what can still be read is left.
      await this.api.send('DELETE', `/v1/files/${encodeURIComponent(id)}`).catch(() => undefined)
      const answer = await this.api.send('GET', `/v1/files/${encodeURIComponent(id)}`).catch(() => undefined)
      if (answer?.accepted ?? true) left.push(id)
    }
    this.#files.clear()
    return left
  }
}
