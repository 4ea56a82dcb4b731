import { type ReactElement, useMemo } from 'react'
import { compareWords, sameWord } from './compare-words.ts'

/** A transcript with its wrong words marked. */
export function Compared({ said, heard }: { readonly said: string; readonly heard: string }): ReactElement {
  const words = useMemo(() => compareWords(said, heard), [said, heard])
  return (
    <>
      {words.map((word, index) => (
        // The words of one transcript never move.
        // oxlint-disable-next-line react/no-array-index-key
        <span key={index}>
          {sameWord(word) ? (
            word.heard
          ) : (
            <>
              {word.said !== undefined && <del>{word.said}</del>}
              {word.said !== undefined && word.heard !== undefined && ' '}
              {word.heard !== undefined && <ins>{word.heard}</ins>}
            </>
          )}{' '}
        </span>
      ))}
    </>
  )
}
