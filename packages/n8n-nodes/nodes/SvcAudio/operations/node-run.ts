import type { CallOptions, PureAudioClient, Voice } from '@svc-audio/core/pure'
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow'

/** What the items of one run of the node share: lists that are read once, and names that are used once. */
export class NodeRun {
  readonly #context: IExecuteFunctions
  readonly #names = new Map<string, readonly string[]>()
  readonly #used = new Map<number, string>()
  #voices: Promise<readonly Voice[]> | undefined
  #index: number | undefined
  readonly #afterwards: (() => Promise<void>)[] = []

  constructor(context: IExecuteFunctions) {
    this.#context = context
  }

  /** Puts work off until all items are done: n8n's own Retry On Fail begins with the first item again. */
  afterwards(work: () => Promise<void>): void {
    this.#afterwards.push(work)
  }

  /** Does what was put off. A run that has failed does not. */
  async end(): Promise<void> {
    for (const work of this.#afterwards.splice(0)) await work()
  }

  /** The voices of the account, read once for all items. After a failure, the next item reads them again. */
  voices(audio: PureAudioClient, call: CallOptions): Promise<readonly Voice[]> {
    this.#voices ??= all(audio, call).catch((error: unknown) => {
      this.#voices = undefined
      throw error
    })
    return this.#voices
  }

  /**
   * A name for the file of an item that no other item of the run has: the second `talk` is `talk-2`.
   * @param kind Names of one kind differ from each other.
   * @param nameOf The name of each item, before the numbers.
   */
  distinctName(kind: string, index: number, nameOf: (item: INodeExecutionData, index: number) => string): string {
    const names = this.#names.get(kind) ?? distinct(this.#context.getInputData().map(nameOf))
    this.#names.set(kind, names)
    return names[index] ?? ''
  }

  /** As {@link NodeRun.distinctName}, for a name that the item learns while it runs. */
  unusedName(index: number, name: string): string {
    const used = new Set(this.#used.values())
    const own = this.#used.get(index) ?? (used.has(name) ? `${name}-${unused(name, used, 2)}` : name)
    this.#used.set(index, own)
    return own
  }

  /**
   * The key of the billable call of an item. n8n's own Retry On Fail repeats the run, so it gives the same key, and a
   * service that knows such keys does the work once. Another run, and another form, have another key.
   * @param form Resolved values of the form.
   */
  async idempotencyKey(index: number, form: unknown): Promise<string> {
    const context = this.#context
    const execution = context.getExecutionId() as string | undefined
    if (execution === undefined || execution === '' || !/^\w+$/.test(execution)) return crypto.randomUUID()
    const parts = [context.getInstanceId(), execution, context.getNode().id, this.#runIndex(), index, form]
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(parts)))
    return `n8n-${Buffer.from(digest).toString('hex')}`
  }

  /** How often the node has run before in this execution, for example in a loop. n8n tells it to expressions alone. */
  #runIndex(): number {
    this.#index ??= Number(this.#context.evaluateExpression('{{ $runIndex }}', 0))
    return this.#index
  }
}

async function all(audio: PureAudioClient, call: CallOptions): Promise<readonly Voice[]> {
  const voices: Voice[] = []
  for await (const voice of audio.voices.list({ limit: 150 }, call)) voices.push(voice)
  return voices
}

/** Numbers the names that come again. */
function distinct(names: readonly string[]): string[] {
  const used = new Set(names)
  const last = new Map<string, number>()
  return names.map((name) => {
    const before = last.get(name)
    last.set(name, before ?? 1)
    if (before === undefined) return name
    const number = unused(name, used, before + 1)
    last.set(name, number)
    used.add(`${name}-${number}`)
    return `${name}-${number}`
  })
}

/** The first number from `from` on that makes a name which is not used. */
function unused(name: string, used: ReadonlySet<string>, from: number): number {
  let number = from
  while (used.has(`${name}-${number}`)) number += 1
  return number
}
