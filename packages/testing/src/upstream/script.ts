import type { Answer } from './reply.ts'
import type { Route } from './routes.ts'

/** An endpoint, or `*` for every request, unknown paths too. */
export type Target = Route | '*'

/** The scripted responses of a test. */
export class Script {
  readonly #once = new Map<Target, Answer[]>()
  readonly #always = new Map<Target, Answer>()

  on(target: Target, answer: Answer): void {
    this.#always.set(target, answer)
  }

  next(target: Target, answers: readonly Answer[]): void {
    this.#once.set(target, [...(this.#once.get(target) ?? []), ...answers])
  }

  reset(): void {
    this.#once.clear()
    this.#always.clear()
  }

  /** The responses of `next` that no request took, by endpoint. An `on` is a rule, which a test may not need. */
  unused(): string[] {
    const left = [...this.#once].filter(([, answers]) => answers.length > 0)
    return left.map(([target, { length }]) => `${length} of next('${target}')`)
  }

  /** Takes the response to a request: `next` before `on`, the endpoint before `*`. */
  take(route: Route | undefined): Answer | undefined {
    const targets: Target[] = route === undefined ? ['*'] : [route, '*']
    for (const target of targets) {
      const answer = this.#once.get(target)?.shift()
      if (answer !== undefined) return answer
    }
    return targets.map((target) => this.#always.get(target)).find((answer) => answer !== undefined)
  }
}
