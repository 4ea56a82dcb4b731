import { Fragment, type ReactElement } from 'react'
import type { Comparison } from './compare-texts.ts'

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
