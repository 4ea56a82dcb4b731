import { Fragment, type ReactElement } from 'react'
import { formatPercent } from '../lib/format.ts'
import type { Comparison } from '../compare/compare-texts.ts'

/** A transcript with its wrong words marked. */
export function Compared({ comparison }: { readonly comparison: Comparison }): ReactElement {
  return (
    <>
      {comparison.groups.map(({ same, said, heard }, index) => (
        // The groups of one transcript never move.
        // oxlint-disable-next-line react/no-array-index-key
        <Fragment key={index}>
          {same ? (
            heard
          ) : (
            <span className="difference">
              {said !== '' && <del>{said}</del>}
              {said !== '' && heard !== '' && ' '}
              {heard !== '' && <ins>{heard}</ins>}
            </span>
          )}{' '}
        </Fragment>
      ))}
    </>
  )
}

/** Highest word error rate that counts as good. */
const GOOD_RATE = 0.15

/** The tone of a word error rate. */
export function toneOf({ rate }: Comparison): 'good' | 'bad' {
  return rate <= GOOD_RATE ? 'good' : 'bad'
}

/** The word error rate of a transcript. */
export function ErrorRate({ comparison }: { readonly comparison: Comparison }): ReactElement {
  return <strong data-tone={toneOf(comparison)}>{formatPercent(comparison.rate)}</strong>
}
