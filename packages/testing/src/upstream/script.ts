import type { ScriptedResponse } from './reply.ts'
import type { Route } from './routes.ts'

/** An endpoint, or `*` for every request, unknown paths too. */
export type Target = Route | '*'

/** The scripted responses of a test. */
export class Script {
  readonly #once = new Map<Target, ScriptedResponse[]>()
  readonly #always = new Map<Target, ScriptedResponse>()

  on(target: Target, response: ScriptedResponse): void {
    this.#always.set(target, response)
  }

  next(target: Target, responses: readonly ScriptedResponse[]): void {
    this.#once.set(target, [...(this.#once.get(target) ?? []), ...responses])
  }

  reset(): void {
    this.#once.clear()
    this.#always.clear()
  }

  /** The responses of `next` that no request took, by endpoint. An `on` is a rule, which a test may not need. */
  unused(): string[] {
    const left = [...this.#once].filter(([, responses]) => responses.length > 0)
    return left.map(([target, { length }]) => `${length} of next('${target}')`)
  }

  /** Takes the response to a request: `next` before `on`, the endpoint before `*`. */
  take(route: Route | undefined): ScriptedResponse | undefined {
    const targets: Target[] = route === undefined ? ['*'] : [route, '*']
    for (const target of targets) {
      const response = this.#once.get(target)?.shift()
      if (response !== undefined) return response
    }
    return targets.map((target) => this.#always.get(target)).find((response) => response !== undefined)
  }
}
