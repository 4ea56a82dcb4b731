import { type ReactElement, useMemo } from 'react'
import { CopyButton } from '../components/copy-button.tsx'
import { highlight } from './highlight.ts'

/** Code, the name of its file, and a button that copies it. */
export function CodeBlock({ code, file }: { readonly code: string; readonly file: string }): ReactElement {
  const tokens = useMemo(() => highlight(code), [code])
  return (
    <figure className="code">
      <figcaption>
        <span className="code-file">{file}</span>
        <CopyButton text={code} what={file} />
      </figcaption>
      {/* It can be scrolled sideways, so the keyboard must reach it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} aria-label={`Code of ${file}`} role="region">
        <code>
          {tokens.map(({ kind, text }, index) => (
            // The pieces of a text never move.
            // oxlint-disable-next-line react/no-array-index-key
            <span key={index} data-token={kind}>
              {text}
            </span>
          ))}
        </code>
      </pre>
    </figure>
  )
}
