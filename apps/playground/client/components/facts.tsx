import type { ReactElement } from 'react'

/** A measured value with its name. */
export interface Fact {
  readonly name: string
  /** `undefined` until measured. */
  readonly value: string | undefined
  readonly tone?: 'good' | 'bad'
}

/** Measured values in a row. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }): ReactElement {
  return (
    <dl className="facts">
      {facts.map(({ name, value, tone }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd data-tone={tone}>{value ?? <span className="faint">–</span>}</dd>
        </div>
      ))}
    </dl>
  )
}
