import { setTimeout as sleep } from 'node:timers/promises'
import type { Program } from '../program.ts'
import { responseOf, call, type Call, checkResult } from './call.ts'
import { Write, type WriteTerms } from './write.ts'

/** A task as the service shows it. */
export interface SeenTask {
  readonly status: string
  readonly url?: string
  readonly error?: { readonly code: string }
  readonly webhook?: { readonly status: string }
}

/** Terms of a task. */
export interface TaskRequest extends WriteTerms {
  readonly kind: string
  /** Makes the request each time, with its prerequisites. */
  readonly request: (program: Program) => Promise<Call>
  readonly parts?: readonly Write[]
}

/** An asynchronous task with a webhook. */
export class TaskWrite extends Write {
  readonly kind: string
  readonly #request: TaskRequest['request']
  id = ''

  constructor({ kind, request, parts, ...terms }: TaskRequest) {
    super(terms, parts)
    this.kind = kind
    this.#request = request
  }

  protected async send(program: Program): Promise<void> {
    const response = await call(program, this, await this.#request(program))
    const { task_id: id } = await responseOf<{ readonly task_id: string }>(response, this.key)
    if (this.acknowledged && id !== this.id) throw new Error(`${this.key} has two tasks`)
    this.id = id
  }

  async look(program: Program): Promise<void> {
    await checkTask(program, this, this.id)
  }

  async settle(program: Program): Promise<string> {
    await this.begin(program)
    // The test's timeout is the only limit.
    for (;;) {
      const { webhook, error, status } = await checkTask(program, this, this.id)
      if (webhook?.status === 'failed') throw new Error(`The service stopped retrying the webhook of ${this.key}`)
      if (webhook?.status === 'delivered') return checkEnd(this.key, error?.code ?? status)
      await sleep(20)
    }
  }
}

/** Six kills during the same task fail it. No other failure is possible here. */
export function checkEnd(key: string, end: string): string {
  if (end === 'SUCCESS' || end === 'interrupted') return end
  throw new Error(`${key} ended with ${end}`)
}

/** Checks a task and its result. @throws Error when either is missing or incomplete */
export async function checkTask(program: Program, terms: WriteTerms, id: string): Promise<SeenTask> {
  const task = await responseOf<SeenTask>(await call(program, terms, { path: `/v1/audio/tasks/${id}` }), terms.key)
  if (task.url !== undefined) await checkResult(program, terms.key, task.url)
  return task
}
