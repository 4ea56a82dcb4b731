import type { Case } from './cases.ts'
import type { RawResponse } from './http-client.ts'

/** Counts of a route. */
export interface RouteCount {
  sent: number
  accepted: number
  refused: number
}

/** A request with a wrong response. */
export interface Breach {
  readonly route: string
  readonly what: string
  /** The request, to reproduce the response. */
  readonly request: string
}

/** Counts answers, and stores wrong ones. */
export class Tally {
  readonly routes = new Map<string, RouteCount>()
  readonly breaches: Breach[] = []
  readonly #secrets: readonly string[]

  /** @param secrets Texts that no response may contain, such as the path of the folder. */
  constructor(secrets: readonly string[]) {
    this.#secrets = [...secrets, 'node_modules', '    at ']
  }

  get sent(): number {
    return this.#sum('sent')
  }

  /** Share of accepted requests, 0 to 1. */
  get acceptedShare(): number {
    return this.#sum('accepted') / Math.max(1, this.sent)
  }

  answered(one: Case, response: RawResponse): void {
    const count = this.#count(one.route.name)
    count.sent += 1
    if (response.status < 400) count.accepted += 1
    else count.refused += 1
    for (const what of this.#faultsOf(one, response)) this.#breach(one, what)
  }

  failed(one: Case, error: unknown): void {
    this.#count(one.route.name).sent += 1
    this.#breach(one, `no answer: ${error instanceof Error ? error.message : String(error)}`)
  }

  #faultsOf({ valid, route }: Case, { status, text }: RawResponse): string[] {
    const faults: string[] = []
    if (status >= 500) faults.push(`status ${status}: ${text.slice(0, 200)}`)
    if (valid && route.mayBeGone !== true && status >= 400)
      faults.push(`refused though in order: ${text.slice(0, 200)}`)
    if (status >= 400 && !isError(text)) faults.push(`status ${status} without an error: ${text.slice(0, 200)}`)
    const secret = status >= 400 ? this.#secrets.find((word) => text.includes(word)) : undefined
    if (secret !== undefined) faults.push(`the error tells ${JSON.stringify(secret)}`)
    return faults
  }

  #breach({ route, request }: Case, what: string): void {
    const { method, path, headers, body } = request
    const shown = body === undefined ? '' : ` ${body.toString('latin1').slice(0, 400)}`
    this.breaches.push({ route: route.name, what, request: `${method} ${path} ${JSON.stringify(headers)}${shown}` })
  }

  #count(name: string): RouteCount {
    const count = this.routes.get(name) ?? { sent: 0, accepted: 0, refused: 0 }
    this.routes.set(name, count)
    return count
  }

  #sum(name: keyof RouteCount): number {
    return [...this.routes.values()].reduce((sum, count) => sum + count[name], 0)
  }
}

function isError(text: string): boolean {
  try {
    const { error } = JSON.parse(text) as { readonly error?: { readonly code?: unknown; readonly message?: unknown } }
    return typeof error?.code === 'string' && typeof error.message === 'string'
  } catch {
    return false
  }
}
